// Checks one log a line, each as a JSON string, and answers one JSON line each: for tests/js/.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { check } = await import(pathToFileURL(process.argv[2]));
for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  process.stdout.write(JSON.stringify(await check(text.base64 ? Buffer.from(text.base64, "base64") : text)) + "\n");
}
