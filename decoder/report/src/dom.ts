// Elements in one line. Texts are always text, never markup.

type Child = Node | string | undefined | false;
type Handlers = { [event: string]: (event: never) => void };

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string | number | boolean | undefined> = {}, children: Child[] | Child = [], on: Handlers = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const [event, handler] of Object.entries(on)) element.addEventListener(event, handler as EventListener);
  const list = Array.isArray(children) ? children : [children];
  element.append(...list.filter((child): child is Node | string => child !== undefined && child !== false));
  return element;
}

/** A name that may be broken behind its dots. */
export const breakable = (name: string): Node[] => name.split(/(?<=[.$(])/).flatMap((part, at) => [...(at > 0 ? [h("wbr")] : []), document.createTextNode(part)]);

/** A canvas as sharp as the screen, of this size in CSS pixels. */
export function sharp(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Puts a text into the clipboard; browsers without one copy a selection. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { readonly: true, "aria-hidden": "true", class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
