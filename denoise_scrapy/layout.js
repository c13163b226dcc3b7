// Where each element of the page lies, and the page's markup with the number of each: one string, since many small
// values are slow to carry over the protocol. The page is left as it was: numbers are set and removed in one go.
([leafTags, attribute, most]) => {
  const HIDDEN = 1, PINNED = 2, CLIPPED = 4, FIXED = 8;
  const root = document.documentElement;
  if (!root) return "";
  const leaves = new Set(leafTags);
  const scroller = document.scrollingElement || root;
  // a page that runs from right to left is scrolled to the left of its origin
  const leftward = [root, document.body].some((element) => element && getComputedStyle(element).direction === "rtl");
  const left = leftward ? Math.min(0, scroller.clientWidth - scroller.scrollWidth) : 0;

  const isShut = (clip) => {
    const [top, right, bottom, start] = (clip.match(/-?[\d.]+px|auto/g) || []).map(parseFloat);
    return right - start <= 1 || bottom - top <= 1;
  };
  // Text for screen readers is often shown through a hole of one pixel; folded sections have no height.
  const clips = (style, box) =>
    (style.overflowX !== "visible" && style.display !== "inline" && (box.width <= 1 || box.height <= 1)) ||
    (style.clip !== "auto" && isShut(style.clip)) || /^inset\((50|100)%/.test(style.clipPath);

  const boxOf = (element, style) => {
    if (style.display !== "contents") return element.getBoundingClientRect();
    const contents = document.createRange(); // without a box of its own: what is inside of it has one
    contents.selectNodeContents(element);
    return contents.getBoundingClientRect();
  };

  const elements = [], values = [], above = [];
  let shared = 0; // what an element's contents share with it
  for (let element = root; element; ) {
    if (elements.length >= most) return "";
    const style = getComputedStyle(element), box = boxOf(element, style), position = style.position;
    let flags = position === "fixed" ? PINNED | FIXED : position === "sticky" ? shared | PINNED : shared;
    const still = flags & FIXED; // stands where it would on the unscrolled page
    const x = box.x + (still ? 0 : scrollX), y = box.y + (still ? 0 : scrollY);
    if (clips(style, box)) flags |= CLIPPED;
    const shows = style.display === "contents" ? style.visibility === "visible" : element.checkVisibility({
      visibilityProperty: true, opacityProperty: true, checkVisibilityCSS: true, checkOpacity: true,
    });
    const away = x + box.width <= left || y + box.height <= 0;
    const empty = !box.width && !box.height;
    const hidden = !shows || away || empty || flags & CLIPPED ? HIDDEN : 0;
    elements.push(element);
    values.push(Math.round(x * 10), Math.round(y * 10), Math.round(box.width * 10), Math.round(box.height * 10),
      Math.round(parseFloat(style.fontSize) * 10) || 0, hidden | (flags & PINNED));
    if (element.firstElementChild && !leaves.has(element.localName)) {
      above.push(shared);
      shared = flags;
      element = element.firstElementChild;
      continue;
    }
    while (element && !element.nextElementSibling) {
      element = element.parentElement;
      if (element) shared = above.pop();
    }
    element = element && element.nextElementSibling;
  }

  const size = [scroller.scrollWidth, scroller.scrollHeight, innerWidth, innerHeight];
  // all boxes were read before the first number is written: each write would force a new layout
  try {
    elements.forEach((element, number) => element.setAttribute(attribute, number));
    return [size.join(), values.join(), root.outerHTML].join("\n");
  } finally {
    elements.forEach((element) => element.removeAttribute(attribute));
  }
}
