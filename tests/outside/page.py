#!/usr/bin/env python3
"""Opens the page of `--format html` in a browser without a window and tries it.

page.py KIMG-LINT CHROMIUM [FOLDER]

With FOLDER, the page is photographed there in light and in dark. Wants the Python package playwright and a Chromium.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

DOCKERFILE = """\
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN pip install torch==2.5.1
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
# kimg-lint: ignore[KIMG201] only the H100 nodes run it
RUN nvcc -arch=sm_90 -o fast fast.cu
RUN nvcc -arch=sm_80 -o tool '<script>alert(1)</script>.cu'
RUN cmake -S /src -B /build -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES="80;86;89;90" && cmake --build /build
"""


def main(program, chromium, folder=None):
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        Path(scratch, "Dockerfile").write_text(DOCKERFILE)
        write = [str(Path(program).resolve()), "--fleet", "A100,L4,H100", "--output", "html=page.html", "--quiet", "Dockerfile"]
        subprocess.run(write, cwd=scratch, capture_output=True)
        page_file = Path(scratch, "page.html").as_uri()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try_page(browser, page_file)
        without_script(browser, page_file)
        for scheme in ("light", "dark"):
            page = browser.new_page(color_scheme=scheme, viewport={"width": 960, "height": 900})
            page.goto(page_file)
            back = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert back == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 28)"}[scheme], back
            if folder:
                page.screenshot(path=Path(folder, f"page-{scheme}.png"))
        browser.close()
    print("the page works")


def try_page(browser, page_file):
    page = browser.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page_file)
    shown = lambda: page.locator(".finding:visible").count()
    every = shown()
    kinds = page.locator(".finding").evaluate_all("all => all.map(one => one.dataset.kind)")
    assert every == len(kinds) and {"error", "warning", "suppressed"} <= set(kinds), kinds
    assert page.locator("#filter").is_visible()
    assert page.locator(".grid tbody tr").count() == 4 and page.locator(".grid thead th").count() == 4
    assert {"native", "jit", "missing"} <= set(page.locator(".grid td").all_inner_texts())
    assert page.locator("#builds tbody tr").count() == 4
    page.locator("#filter input[value=error]").click()
    assert shown() == every - kinds.count("error"), shown()
    page.locator("#filter input[value=error]").click()
    page.locator("#words").fill("KIMG201")
    assert 0 < shown() < every
    assert page.locator("#shown").inner_text() == f"{shown()} of {every}"
    page.locator("#words").fill("")
    assert shown() == every
    assert page.locator("body").inner_text().count("<script>alert(1)</script>") >= 1, "shown, not obeyed"
    assert not said, said
    assert [url for url in asked if not url.startswith("data:")] == [page_file], asked


def without_script(browser, page_file):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(page_file)
    assert page.locator(".finding:visible").count() == page.locator(".finding").count() > 0
    assert not page.locator("#filter").is_visible()


if __name__ == "__main__":
    main(*sys.argv[1:])
