"""Spell texts, docstrings and documents with hunspell, English and French: `make spelling`.

`.ci/spelling_en.txt` and `.ci/spelling_fr.txt` have the words that no dictionary has, one a line.
`--if-installed` checks nothing where hunspell or a dictionary is missing, as `make lint` wants it.
`--words` prints only the unknown words of a language each, for these lists.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from plain_words import Text, texts

LANGUAGES = {"en": ("en_GB", "hunspell-en-gb"), "fr": ("fr", "hunspell-fr")}
FRENCH = {"french", "french_documents"}
NO_PROSE = re.compile(
    r"```.*?```|``.*?``|`[^`]*`|\{[^{}]*\}|<[^<>]*>|\]\([^)]*\)|https?://\S+"
    r"|(?<![\w-])--?[a-zA-Z][\w-]*|\S*[\w]/[\w]\S*|\S*\w\.\w\S*|\S*[_=@#]\S*|\S*\d\S*|^\s+>>>.*?$",
    re.DOTALL | re.MULTILINE,
)
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def unspelled(language: str, found: list[Text]) -> Iterator[tuple[str, str]]:
    """Words that neither hunspell nor our list knows, each with its first place."""
    dictionary, _ = LANGUAGES[language]
    listed = Path(__file__).with_name(f"spelling_{language}.txt").read_text(encoding="utf-8")
    known = {line for line in listed.splitlines() if line}
    places: dict[str, str] = {}
    for kind, place, text in found:
        if (kind in FRENCH) == (language == "fr"):
            for word in WORD.findall(NO_PROSE.sub(" ", text)):
                if word[1:] != word[1:].lower() and not word.isupper():
                    continue  # a name of code, as KeyError
                places.setdefault(word.replace("’", "'").removesuffix("'s"), place)
    asked = "\n".join(places)
    command = ["hunspell", "-l", "-i", "utf-8", "-d", dictionary]
    answer = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    for word in sorted(set(answer.stdout.split()), key=str.casefold):
        if word not in known and word.lower() not in known:
            yield word, places.get(word, "")


def missing() -> list[str]:
    """Packages of Debian that are to be installed first."""
    if not shutil.which("hunspell"):
        return ["hunspell", *(package for _, package in LANGUAGES.values())]
    listed = subprocess.run(["hunspell", "-D"], input="", capture_output=True, text=True, check=False)
    found = {Path(line).name for line in (listed.stdout + listed.stderr).splitlines()}
    return [package for dictionary, package in LANGUAGES.values() if dictionary not in found]


def main(arguments: list[str]) -> int:
    """Print unknown words with their places; 1 if there are any."""
    if packages := missing():
        print(
            f"Spelling is not checked. Install first: apt-get install {' '.join(packages)}", file=sys.stderr
        )
        return 0 if "--if-installed" in arguments else 1
    found = list(texts())
    wrong = False
    for language in LANGUAGES:
        for word, place in unspelled(language, found):
            wrong = True
            print(word if "--words" in arguments else f"{place}: {word} ({language})")
    if wrong and "--words" not in arguments:
        print("Correct these words, or add them to .ci/spelling_en.txt or .ci/spelling_fr.txt.")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
