/** At-rules that are allowed in a style sheet. Others are removed and reported with their `@`. */
export const allowedAtRules: ReadonlySet<string> = new Set(['media', 'supports'])

/** Functions that are allowed in a value. Functions that fetch, run script or read the document are not. */
export const allowedFunctions: ReadonlySet<string> = new Set(
  [
    'rgb rgba hsl hsla hwb lab lch oklab oklch light-dark calc min max clamp minmax repeat fit-content cubic-bezier steps',
    '-webkit-linear-gradient -moz-linear-gradient linear-gradient radial-gradient repeating-linear-gradient repeating-radial-gradient conic-gradient',
    'translate translatex translatey scale scalex scaley rotate skew skewx skewy matrix',
  ].flatMap((line) => line.split(' ')),
)

/** Forbidden values of allowed properties. */
export const forbiddenValues: ReadonlyMap<string, RegExp> = new Map([
  ['position', /^(?!(?:static|relative|inherit|initial)$)/i],
  // a transform that moves or enlarges an element could cover the window around the email
  ['transform', /^(?!(?:none|inherit|initial|rotate\([^()]*\))$)/i],
  ['zoom', /^(?!(?:normal|inherit|initial|1|0?\.\d+|1\.0+|\d\d?%|100%)$)/i],
])

const single = new Set(
  [
    'background color opacity visibility display position float clear cursor direction content quotes',
    'width height min-width max-width min-height max-height top right bottom left z-index box-sizing aspect-ratio',
    'margin padding border outline overflow overflow-x overflow-y overflow-wrap clip box-shadow object-fit object-position',
    'font line-height letter-spacing word-spacing word-wrap word-break white-space hyphens vertical-align tab-size text-size-adjust',
    'table-layout caption-side empty-cells border-collapse border-spacing list-style unicode-bidi color-scheme supported-color-schemes',
    'v-text-anchor flex order gap row-gap column-gap place-content place-items place-self resize zoom transform transform-origin transition',
    '-webkit-text-size-adjust -moz-text-size-adjust -ms-text-size-adjust -ms-interpolation-mode -webkit-font-smoothing',
    '-moz-osx-font-smoothing -webkit-text-fill-color -webkit-border-radius -moz-border-radius -webkit-box-shadow -moz-box-shadow',
    '-webkit-box-sizing -moz-box-sizing -webkit-hyphens -moz-hyphens -ms-hyphens -webkit-tap-highlight-color -premailer-width',
    '-premailer-cellpadding -premailer-cellspacing -webkit-user-select user-select',
  ].flatMap((line) => line.split(' ')),
)

const families =
  /^(?:background|border|margin|padding|font|text|list-style|outline|flex|grid|align|justify|column|columns|page-break|break|transition|mso)-[a-z-]+$/

/** Whether an email may set this property (lowercase). Custom properties, `behavior` and `-moz-binding` are not allowed. */
export function isAllowedProperty(name: string): boolean {
  return single.has(name) || families.test(name)
}
