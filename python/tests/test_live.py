"""The living page carries the model's text, with what was set from outside written into it."""
import base64
import re
import sys
import types
import zlib

import pytest

import zwang

TEXT = '[parameters]\ng = 9.81\n[points.a]\nmass = 1\nposition = [0, "g"]\n[simulation]\nuntil = 1\n'


@pytest.fixture()
def page(tmp_path, monkeypatch):
    place = tmp_path / "live.html"
    place.write_text("<html><body><p>page</p><!--zwang:text--></body></html>", encoding="utf-8")
    monkeypatch.setenv("ZWANG_LIVE_PAGE", str(place))
    return place


def text_in(page):
    return base64.b64decode(re.search(r'id="zwang-text"[^>]*>([^<]*)<', page).group(1)).decode()


def test_the_page_has_the_text_as_the_model_stands(page, tmp_path):
    model = zwang.parse(TEXT, set={"g": 5})
    written = tmp_path / "out.html"
    assert model.live().save(written) == str(written)
    assert text_in(written.read_text(encoding="utf-8")) == str(model)
    assert "g = 5" in str(model)


def test_a_notebook_shows_the_whole_page_in_a_frame(page):
    shown = zwang.parse(TEXT).live()._repr_html_()
    inner = base64.b64decode(re.search(r"atob\('([^']*)'\)", shown).group(1)).decode()
    assert "<p>page</p>" in inner and text_in(inner) == TEXT


def test_without_a_page_it_is_said_how_to_get_one(monkeypatch, tmp_path):
    monkeypatch.setenv("ZWANG_LIVE_PAGE", str(tmp_path / "nowhere.html"))
    with pytest.raises(FileNotFoundError, match="make live"):
        zwang.parse(TEXT).live().html()


def test_what_a_page_has_shared_is_read_back(page, tmp_path):
    changed = TEXT.replace("9.81", "3.5")
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = compressor.compress(changed.encode()) + compressor.flush()
    link = "file:///x/live.html#m=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")
    live = zwang.parse(TEXT).live()
    assert live.parameters["g"] == 9.81
    assert live.read(link).parameters["g"] == 3.5
    assert str(live.model) == changed

    # A file that was saved, too; something else is told.
    saved = zwang.parse(changed).live().save(tmp_path / "saved.html")
    assert zwang.parse(TEXT).live().read(saved).text == changed
    with pytest.raises(ValueError, match="living page"):
        zwang.parse(TEXT).live().read(page)


def test_with_anywidget_the_sliders_are_read_as_they_stand(page, monkeypatch):
    # A stand-in for the two packages, of which only what a widget promises is asked.
    class Unicode:
        def __init__(self, value):
            self.value = value

        def tag(self, **keys):
            assert keys == {"sync": True}
            return self

    class AnyWidget:
        def __init__(self, **values):
            self.values, self.watchers = values, []
            made.append(self)

        def observe(self, watcher, names):
            assert names == "text"
            self.watchers.append(watcher)

        def _repr_mimebundle_(self, **_):
            return {"application/vnd.jupyter.widget-view+json": {}}

    made = []
    monkeypatch.setitem(sys.modules, "anywidget", types.SimpleNamespace(AnyWidget=AnyWidget))
    monkeypatch.setitem(sys.modules, "traitlets", types.SimpleNamespace(Unicode=Unicode))
    live = zwang.parse(TEXT).live()
    assert "application/vnd.jupyter.widget-view+json" in live._repr_mimebundle_()
    widget = made[0]
    assert "<p>page</p>" in widget.values["page"] and widget.values["text"] == TEXT
    for watcher in widget.watchers:
        watcher({"new": TEXT.replace("9.81", "2")})
    assert live.parameters["g"] == 2


def test_the_real_anywidget_carries_the_page_and_hears_its_sliders(page):
    pytest.importorskip("anywidget")
    live = zwang.parse(TEXT).live()
    widget = live._widget()
    state = widget.get_state()
    assert "render" in str(widget._esm) and "<p>page</p>" in state["page"] and state["text"] == TEXT
    assert "application/vnd.jupyter.widget-view+json" in str(live._repr_mimebundle_())

    # As a front end says it.
    widget.set_state({"text": TEXT.replace("9.81", "2")})
    assert live.parameters["g"] == 2


def test_without_anywidget_a_notebook_still_shows_it(page, monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    assert "<iframe" in zwang.parse(TEXT).live()._repr_mimebundle_()["text/html"]
