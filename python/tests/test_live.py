"""The living page carries the model's text, with what was set from outside written into it."""
import base64
import re

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
