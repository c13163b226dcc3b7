// Where each element of the page lies, and the page's tags with the number of each: one string, since many small
// values are slow to carry over the protocol. Nothing is written to the page.
([leafTags, most]) => {
  const HIDDEN = 1, PINNED = 2, CLIPPED = 4, FIXED = 8;
  const root = document.documentElement;
  if (!root) return "";
  const leaves = new Set(leafTags);
  const raw = new Set(["noscript", "xmp", "noembed", "plaintext"]); // the browser holds text where a parser finds tags
  const empty = new Set("area base br col embed hr img input link meta param source track wbr frame".split(" "));
  const scroller = document.scrollingElement || root;
  const offsetX = scrollX, offsetY = scrollY; // each look at them would ask for the layout again
  // a page that runs from right to left is scrolled to the left of its origin
  const leftward = [root, document.body].some((element) => element && getComputedStyle(element).direction === "rtl");
  const left = leftward ? Math.min(0, scroller.clientWidth - scroller.scrollWidth) : 0;
  const strictly = { checkVisibilityCSS: true, checkOpacity: true };

  const contentsBox = (element) => { // of one without a box of its own
    const contents = document.createRange();
    contents.selectNodeContents(element);
    return contents.getBoundingClientRect();
  };
  const isShut = (clip) => {
    const [top, right, bottom, start] = (clip.match(/-?[\d.]+px|auto/g) || []).map(parseFloat);
    return right - start <= 1 || bottom - top <= 1;
  };

  const values = [], above = [], tags = [];
  let shared = 0; // flags that an element's contents share with it
  for (let element = root, number = 0; element; number++) {
    if (number >= most) return "";
    const style = getComputedStyle(element), position = style.position;
    let box = element.getBoundingClientRect(), width = box.width, height = box.height, shows;
    if (!width && !height && style.display === "contents") {
      box = contentsBox(element);
      width = box.width;
      height = box.height;
      shows = style.visibility === "visible";
    } else {
      shows = (width || height) && element.checkVisibility(strictly);
    }
    let flags = shared;
    if (position !== "static" && position !== "relative") {
      flags = position === "fixed" ? PINNED | FIXED : position === "sticky" ? flags | PINNED : flags;
      // text for screen readers is often shown through a hole of one pixel
      if (position !== "sticky" && style.clip !== "auto" && isShut(style.clip)) flags |= CLIPPED;
      if (/^inset\((50|100)%/.test(style.clipPath)) flags |= CLIPPED;
    }
    // folded sections have no height
    if ((width <= 1 || height <= 1) && shows && style.overflowX !== "visible" && style.display !== "inline") {
      flags |= CLIPPED;
    }
    const still = flags & FIXED; // stands where it would on the unscrolled page
    const x = still ? box.x : box.x + offsetX, y = still ? box.y : box.y + offsetY;
    const hidden = !shows || flags & CLIPPED || x + width <= left || y + height <= 0 ? HIDDEN : 0;
    values.push(Math.round(x * 10), Math.round(y * 10), Math.round(width * 10), Math.round(height * 10),
      Math.round(parseFloat(style.fontSize) * 10) || 0, hidden | (flags & PINNED));

    const tag = element.localName, child = leaves.has(tag) ? null : element.firstElementChild;
    tags.push("<", tag, " n=", number, ">");
    if (child) {
      above.push(shared);
      shared = flags;
      element = child;
      continue;
    }
    if (raw.has(tag)) tags.push(element.textContent);
    if (!empty.has(tag)) tags.push("</", tag, ">");
    while (element && !element.nextElementSibling) {
      element = element.parentElement;
      if (element) {
        shared = above.pop();
        tags.push("</", element.localName, ">");
      }
    }
    element = element && element.nextElementSibling;
  }
  const size = [scroller.scrollWidth, scroller.scrollHeight];
  return [size.join(), values.join(), tags.join("")].join("\n");
}
