// Entry of the page.
document.title = "zwang";
