/** That the email can be drawn on a dark page. */
const supportsDark =
  /<meta\b(?=[^>]*\bname="color-scheme")[^>]*\bcontent="[^"]*\bdark\b|(?<!-)\bcolor-scheme\s*:[^;}"]*\bdark\b/i

/** That its root has a background, in its attribute or by a rule. */
const paintsRoot =
  /<html\b[^>]*\bstyle="[^"]*\bbackground\b|(?<![\w.#-]|[\w*\])]\s)(?:html|:root)\s?(?:,[^{}<>]{0,200})?\{[^{}]{0,2000}\bbackground\b/i

/**
 * A sanitised page as a reader with these colors sees it, whatever the colors of this browser are. Its background ends with its
 * content: a root with `contain` leaves the rest of the frame unpainted, and a body without a height would fill it if there is no
 * document type. So does the root, and what is drawn behind it has the background of the body, also in its margins. A root that
 * has a background of its own fills the frame with it, and its body is painted only if the email says so.
 */
export function inColors(html: string, colors: 'light' | 'dark'): string {
  const scheme = colors === 'dark' && supportsDark.test(html) ? 'dark' : 'light'
  const paper = paintsRoot.test(html) ? '' : 'background:Canvas;'
  const style = `<style>:root{contain:style;position:relative;height:fit-content;color-scheme:${scheme}!important}body{${paper}height:fit-content}body::before{content:"";position:absolute;inset:0;z-index:-1;background:inherit}</style>`
  return html
    .replaceAll(/\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi, (_, wanted: string) =>
      wanted.toLowerCase() === colors ? '(min-width:0)' : '(max-width:0)',
    )
    .replace(/^(?:<!doctype[^>]*>)?/i, `$&${style}`)
}
