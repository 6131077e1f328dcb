"""The living page: the engine as WebAssembly, an editor and the animated motion in one file, with a model's text in it.

>>> import zwang
>>> page = zwang.load("gallery:bouncing-ball").live()      # in a notebook it is shown         # doctest: +SKIP
>>> page.save("ball-live.html")                            # anybody can open it               # doctest: +SKIP
"""
from __future__ import annotations

import base64
import html
import os
import pathlib
import sys

MARKER = "<!--zwang:text-->"


def _places() -> list[pathlib.Path]:
    """$ZWANG_LIVE_PAGE alone if it is set; else with the package, or where the command is installed."""
    named = os.environ.get("ZWANG_LIVE_PAGE")
    if named:
        return [pathlib.Path(named)]
    return [pathlib.Path(__file__).with_name("live.html"), pathlib.Path(sys.prefix) / "share" / "zwang" / "live.html",
            pathlib.Path("/usr/local/share/zwang/live.html"), pathlib.Path("/usr/share/zwang/live.html")]


class LivePage:
    """A page that computes for itself. In a notebook it is shown; `save` writes it as one file that needs no network."""

    def __init__(self, text: str, name: str = "model") -> None:
        self.text = text
        self.name = name

    def html(self) -> str:
        """The whole page. FileNotFoundError where this installation has none: `make live` builds it."""
        for place in _places():
            if place.is_file():
                page = place.read_text(encoding="utf-8")
                break
        else:
            raise FileNotFoundError("this installation of zwang has no living page: `make live` in the source tree builds it, and "
                                    "ZWANG_LIVE_PAGE may name it")
        text = base64.b64encode(self.text.encode()).decode()
        holder = f'<script id="zwang-text" type="text/plain" data-name="{html.escape(self.name)}">{text}</script>'
        return page.replace(MARKER, holder, 1)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes the page; its path."""
        pathlib.Path(path).write_text(self.html(), encoding="utf-8")
        return os.fspath(path)

    def _repr_html_(self) -> str:
        page = base64.b64encode(self.html().encode()).decode()
        return (f"<iframe width='100%' height='700' style='border:0' srcdoc=\"<script>document.open();document.write("
                f"new TextDecoder().decode(Uint8Array.from(atob('{page}'),c=>c.charCodeAt(0))));document.close()</script>\">"
                "</iframe>")
