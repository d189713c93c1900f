"""QR codes of links, which another device can read from the screen.

`segno` draws one as SVG, so that a page shows it at any size without loading a picture.
"""

import segno

ERROR_CORRECTION = "m"
"""Legible with an eighth of it covered."""


def qr_code(link: str) -> segno.QRCode:
    """Return the QR code of a link.

    Its methods `svg_data_uri` and `svg_inline` return the picture.
    """
    return segno.make(link, error=ERROR_CORRECTION)
