/** The colours and fonts of all pages of the stand-ins; light and dark as the reader's system. */
export const pageStyle = `
:root { color-scheme: light dark; --bg: #f6f7f9; --card: #fff; --ink: #16191d; --soft: #56606c; --line: #dde1e6; --accent: #1f5fbf;
  --accent-ink: #fff; --tint: #eaf1fc; --good: #17643a; --good-bg: #e3f4ea; --bad: #a3231c; --bad-bg: #fdeae8; --warn: #7a4d00; --warn-bg: #fdf1da; }
@media (prefers-color-scheme: dark) { :root { --bg: #101317; --card: #191d23; --ink: #e8ebef; --soft: #9aa5b1; --line: #2c333c; --accent: #7fb0ff;
  --accent-ink: #0b1526; --tint: #1c2a40; --good: #7fd6a2; --good-bg: #143023; --bad: #ff9d94; --bad-bg: #3a1a18; --warn: #f0c36d; --warn-bg: #35280f; } }
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
a { color: var(--accent); } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h1 { font-size: 1.35rem; line-height: 1.25; margin: 0; }
.button { font: inherit; font-weight: 600; display: inline-block; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: 8px; background: var(--accent); color: var(--accent-ink); cursor: pointer; text-decoration: none; }
`
