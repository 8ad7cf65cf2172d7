import { outlookReading } from './conditional-comments.ts'

/** The versions of Outlook for Windows that read conditional comments, from 2007 on. */
const versions = [12, 14, 15, 16]

/**
 * Returns stored HTML as each version of Outlook shows it, converted to plain HTML, without repeats. Empty when Outlook
 * reads the same as other clients.
 */
export function outlookReadings(html: string): string[] {
  if (!html.includes('<!--') && !hiding.test(html)) return []
  const readings = versions.map((version) => {
    const known = new Map<string, boolean>()
    return outlookReading(html, (condition) => {
      const holds = known.get(condition) ?? conditionHolds(condition, version)
      known.set(condition, holds)
      return holds
    })
  })
  return [...new Set(readings)].map(inPlainHtml)
}

const comparisons: Readonly<Record<string, (version: number, other: number) => boolean>> = {
  gt: (version, other) => version > other,
  gte: (version, other) => version >= other,
  lt: (version, other) => version < other,
  lte: (version, other) => version <= other,
}

/**
 * Whether a condition is true in this version of Outlook, which is `mso` and `vml` but not `IE`. An invalid condition is
 * false.
 */
function conditionHolds(condition: string, version: number): boolean {
  const atoms = /(?:\b(gte?|lte?)\s+)?\b(mso|ie|vml)\b(?:\s+([\d.]+))?/g
  let text = condition
    .toLowerCase()
    .replace(atoms, (_, comparison: string | undefined, name: string, other: string | undefined) => {
      const compare = comparisons[comparison ?? ''] ?? ((one: number, another: number) => one === another)
      const holds = name === 'vml' || (name === 'mso' && (other === undefined || compare(version, Number(other))))
      return holds ? '1' : '0'
    })
    .replace(/\s+/g, '')
  for (let before = ''; before !== text;) {
    before = text
    text = text
      .replace(/\(([01])\)/g, '$1')
      .replace(/!([01])/g, (_, value) => (value === '1' ? '0' : '1'))
      .replace(/([01])&([01])/g, (_, left, right) => (left === '1' && right === '1' ? '1' : '0'))
      .replace(/(?<![&!])([01])\|([01])(?!&)/g, (_, left, right) => (left === '1' || right === '1' ? '1' : '0'))
  }
  return text === '1'
}

const hiding = /mso-hide\s*:\s*all/i
const outlookTag = /<(\/?)((?:[ovw]:[a-z]+)|xml)((?: [^\s"=]+="[^"]*")*)( \/)?>/gi
const shapes = new Set(['v:image', 'v:oval', 'v:rect', 'v:roundrect'])

/**
 * Converts Outlook elements and styles to the nearest HTML: a shape becomes a link or a span, `<xml>` is removed, and hidden
 * content stays hidden.
 */
function inPlainHtml(reading: string): string {
  const open: string[] = []
  return reading
    .replace(new RegExp(hiding, 'gi'), 'display:none')
    .replace(outlookTag, (tag, slash: string, spelling: string, attributes: string, isEmpty: string | undefined) => {
      const name = spelling.toLowerCase()
      if (name === 'xml') return `<${slash}title>`
      if (!shapes.has(name)) return isEmpty ? `<${spelling}${attributes}></${spelling}>` : tag
      if (slash) return `</${open.pop() ?? 'span'}>`
      const element = / href=/.test(attributes) ? 'a' : 'span'
      const written = attributes.replace(' fillcolor=', ' bgcolor=')
      // most images of this kind are backgrounds, which need no alternative text
      const alt = / alt=/.test(attributes) ? '' : ' alt=""'
      const inside = name === 'v:image' ? `<img${written}${alt} />` : ''
      if (!isEmpty) open.push(element)
      return `<${element}${written.replace(/ (?:src|alt)="[^"]*"/g, '')}>${inside}${isEmpty ? `</${element}>` : ''}`
    })
}
