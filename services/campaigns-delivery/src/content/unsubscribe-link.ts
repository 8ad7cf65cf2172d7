import { parse, type DefaultTreeAdapterTypes } from 'parse5'
import { findTokens, unsubscribeToken } from '../html/tokens.ts'
import { cascade, declarationsIn, plainRules, type Declarations } from './declared.ts'

type HtmlNode = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** Whether stored HTML has an unsubscribe link that a recipient can see and use. */
export const hasVisibleUnsubscribeLink = (html: string): boolean => hasVisibleLink(html, unsubscribeToken)

/**
 * Whether stored HTML has a link that a recipient can see and use: a link whose whole address is the token, with text or an
 * image with alternative text, or the token in visible text. Of style sheets only rules for one tag, class or id are evaluated.
 */
export function hasVisibleLink(html: string, token: string): boolean {
  if (!hasToken(html, token)) return false
  const document = parse(html)
  const looks = new Looks(sheetsOf(document))
  const pending: { node: HtmlNode; isLink: boolean }[] = [{ node: document, isLink: false }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node } = next
    const href = node.nodeName === 'a' && 'attrs' in node ? attributeOf(node, 'href') : undefined
    const isLink = href === undefined ? next.isLink : isWholeLink(href.trim(), token)
    if ('tagName' in node && isLink && isNamedImage(node) && !looks.of(node).isHidden && !looks.isSpeck(node))
      return true
    if (node.nodeName === '#text' && 'value' in node) {
      const isWanted = isLink ? hasVisibleCharacters(node.value) : hasToken(node.value, token)
      if (isWanted && isReadable(looks.of(node.parentNode))) return true
    }
    if ('childNodes' in node) for (const child of node.childNodes) pending.push({ node: child, isLink })
  }
  return false
}

const hasToken = (text: string, token: string): boolean => findTokens(text).some(({ name }) => name === token)

function isWholeLink(href: string, token: string): boolean {
  const [first] = findTokens(href)
  return first?.name === token && first.end - first.start === href.length
}

const attributeOf = (element: Element, name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value

const isNamedImage = (element: Element): boolean =>
  element.tagName === 'img' &&
  attributeOf(element, 'src') !== undefined &&
  hasVisibleCharacters(attributeOf(element, 'alt') ?? '')

/** Whether a text has visible characters, not only white space, zero-width joiners or blank Braille patterns. */
const hasVisibleCharacters = (text: string): boolean =>
  text.replace(/[\s\u2800\p{Default_Ignorable_Code_Point}]+/gu, '') !== ''

function sheetsOf(document: HtmlNode): string[] {
  const sheets: string[] = []
  const pending: HtmlNode[] = [document]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.nodeName === 'style' && 'childNodes' in node)
      sheets.push(node.childNodes.map((child) => ('value' in child ? child.value : '')).join(''))
    else if ('childNodes' in node) pending.push(...node.childNodes.toReversed())
  }
  return sheets
}

/** What decides whether the text of an element is visible, including its ancestors. */
interface ElementStyle {
  isHidden: boolean
  fontSize: string | undefined
  color: string | undefined
  background: string | undefined
}

const plainLook: ElementStyle = { isHidden: false, fontSize: undefined, color: undefined, background: undefined }
const unread = new Set(['head', 'title', 'style'])

/** Computes the styles of elements, each once. */
class Looks {
  readonly #rules: ReadonlyMap<string, Declarations>
  readonly #known = new Map<Element, ElementStyle>()

  constructor(sheets: readonly string[]) {
    this.#rules = plainRules(sheets)
  }

  of(node: HtmlNode | null): ElementStyle {
    const path: Element[] = []
    for (let at = node; at && 'tagName' in at && !this.#known.has(at); at = at.parentNode) path.push(at)
    let look = plainLook
    for (const element of path.toReversed()) {
      const outer = element.parentNode && 'tagName' in element.parentNode ? element.parentNode : undefined
      look = this.#lookOf(element, (outer && this.#known.get(outer)) ?? plainLook)
      this.#known.set(element, look)
    }
    return node && 'tagName' in node ? (this.#known.get(node) ?? look) : look
  }

  /** Whether an image is as small as a tracking pixel. */
  isSpeck(image: Element): boolean {
    const declared = this.#declared(image)
    const lengths = ['width', 'height'].map((name) => declared.get(name) ?? attributeOf(image, name))
    return [...lengths, declared.get('max-width'), declared.get('max-height')].some(
      (length = '') => zero.test(length.trim()) || pixelsOf(length) <= 1,
    )
  }

  #lookOf(element: Element, outer: ElementStyle): ElementStyle {
    const declared = this.#declared(element)
    const attribute = (name: string) => attributeOf(element, name)
    const background = declared.get('background-color') ?? attribute('bgcolor')
    const fontSize = declared.get('font-size') ?? (element.tagName === 'font' ? attribute('size') : undefined)
    return {
      isHidden: outer.isHidden || unread.has(element.tagName) || attribute('hidden') !== undefined || hides(declared),
      fontSize: fontSize ?? outer.fontSize,
      color: declared.get('color') ?? (element.tagName === 'font' ? attribute('color') : undefined) ?? outer.color,
      background: background ?? outer.background,
    }
  }

  #declared(element: Element): ReadonlyMap<string, string> {
    const { tagName } = element
    const classes = (attributeOf(element, 'class') ?? '').split(/\s+/).map((name) => `.${name}`)
    const id = `#${attributeOf(element, 'id') ?? ''}`
    const names = [tagName, ...[...classes, id].flatMap((name) => [name, tagName + name])]
    const own = declarationsIn(attributeOf(element, 'style') ?? '')
    const declared = cascade([...names.map((name) => this.#rules.get(name) ?? new Map()), own])
    return new Map([...declared].map(([name, { value }]) => [name, value]))
  }
}

const pixelsPerUnit: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['px', 1],
  ['pt', 4 / 3],
  ['em', 16],
  ['rem', 16],
])

/** Converts a length to CSS pixels at the usual font size. NaN for other units. */
function pixelsOf(length: string): number {
  const [, digits = '', unit = ''] = /^\s*([+-]?[\d.]+)\s*([a-z%]*)/.exec(length.toLowerCase()) ?? []
  return Number.parseFloat(digits) * (pixelsPerUnit.get(unit) ?? Number.NaN)
}

const zero = /^0*\.?0+(?:px|pt|em|rem|%)?$/

function hides(declared: ReadonlyMap<string, string>): boolean {
  const isZero = (name: string) => zero.test(declared.get(name) ?? '')
  return (
    declared.get('display') === 'none' ||
    /^(?:hidden|collapse)$/.test(declared.get('visibility') ?? '') ||
    isZero('opacity') ||
    pixelsOf(declared.get('text-indent') ?? '') <= -999 ||
    (declared.get('overflow') === 'hidden' && ['height', 'max-height', 'width', 'max-width'].some(isZero))
  )
}

function isReadable({ isHidden, fontSize = '', color, background }: ElementStyle): boolean {
  return !isHidden && !zero.test(fontSize) && (color === undefined || colorOf(color) !== colorOf(background ?? ''))
}

/** Normalises the spelling of a colour, as far as possible from the text. */
function colorOf(text: string): string {
  const color = text.trim().toLowerCase()
  const short = /^#([\da-f])([\da-f])([\da-f])$/.exec(color)
  if (short)
    return `#${short
      .slice(1)
      .map((digit) => digit.repeat(2))
      .join('')}`
  return color === 'white' ? '#ffffff' : color === 'black' ? '#000000' : color
}
