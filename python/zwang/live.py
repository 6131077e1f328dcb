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
import re
import sys
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zwang.model import Model

MARKER = "<!--zwang:text-->"


def _places() -> list[pathlib.Path]:
    """$ZWANG_LIVE_PAGE alone if it is set; else with the package, or where the command is installed."""
    named = os.environ.get("ZWANG_LIVE_PAGE")
    if named:
        return [pathlib.Path(named)]
    return [pathlib.Path(__file__).with_name("live.html"), pathlib.Path(sys.prefix) / "share" / "zwang" / "live.html",
            pathlib.Path("/usr/local/share/zwang/live.html"), pathlib.Path("/usr/share/zwang/live.html")]


# The page in a frame; whatever is typed, dragged or slid there comes back as the text of the model.
_WIDGET = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.style.cssText = "border:0;width:100%;height:700px";
  frame.title = "zwang";
  frame.src = URL.createObjectURL(new Blob([model.get("page")], { type: "text/html" }));
  const listen = (event) => {
    if (event.source !== frame.contentWindow || event.data?.zwang !== "text") return;
    model.set("text", event.data.text);
    model.save_changes();
  };
  window.addEventListener("message", listen);
  el.append(frame);
  return () => {
    window.removeEventListener("message", listen);
    URL.revokeObjectURL(frame.src);
  };
}
export default { render };
"""


def text_of(shared: str | os.PathLike[str]) -> str:
    """The text of a model that was shared from a living page: its link, or the path of the file it saved."""
    words = os.fspath(shared)
    link = re.search(r"[#&]m=([-_A-Za-z0-9]+)", words)
    if link:
        code = link.group(1)
        packed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        return zlib.decompress(packed, -zlib.MAX_WBITS).decode()
    page = pathlib.Path(words).read_text(encoding="utf-8")
    held = re.search(r'<script id="zwang-text"[^>]*>([^<]*)</script>', page)
    if not held:
        raise ValueError(f"{words}: a living page with a model in it is expected, or a link that one has shared")
    return base64.b64decode(held.group(1)).decode()


class LivePage:
    """A page that computes for itself. In a notebook it is shown; `save` writes it as one file that needs no network.

    Where the package anywidget is installed, `text`, `model` and `parameters` are those of the page as it stands in the notebook, with
    its sliders moved and its text changed; otherwise those it began with, and `read` takes over what a page has shared.
    """

    def __init__(self, text: str, name: str = "model") -> None:
        self.text = text
        self.name = name

    @property
    def model(self) -> Model:
        """The model of the text as it stands. Its mistakes are told as those of any text."""
        from zwang.model import parse
        return parse(self.text, self.name + ".toml")

    @property
    def parameters(self) -> dict[str, Any]:
        """The values at which the sliders stand."""
        return dict(self.model.parameters)

    def read(self, shared: str | os.PathLike[str]) -> LivePage:
        """Takes over the text of a link or file that a page has shared; the page itself."""
        self.text = text_of(shared)
        return self

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

    def _widget(self) -> Any:
        """The page as a widget that tells what it has become; None without anywidget."""
        try:
            import anywidget  # type: ignore[import-not-found,unused-ignore]
            import traitlets  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError:
            return None
        fields = {"_esm": _WIDGET, "page": traitlets.Unicode("").tag(sync=True), "text": traitlets.Unicode("").tag(sync=True)}
        widget = type("LiveWidget", (anywidget.AnyWidget,), fields)(page=self.html(), text=self.text)
        widget.observe(self._take_over, names="text")
        return widget

    def _take_over(self, change: dict[str, Any]) -> None:
        self.text = change["new"]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        widget = self._widget()
        if widget is None:
            return {"text/html": self._repr_html_(), "text/plain": repr(self)}
        return widget._repr_mimebundle_(include=include, exclude=exclude)

    def _repr_html_(self) -> str:
        page = base64.b64encode(self.html().encode()).decode()
        return (f"<iframe width='100%' height='700' style='border:0' srcdoc=\"<script>document.open();document.write("
                f"new TextDecoder().decode(Uint8Array.from(atob('{page}'),c=>c.charCodeAt(0))));document.close()</script>\">"
                "</iframe>")
