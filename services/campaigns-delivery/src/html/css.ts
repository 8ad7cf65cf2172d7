import * as cssTree from 'css-tree'
import type { Atrule, CssNode, Declaration, List, ListItem, Rule, Value } from 'css-tree'
import { Fault } from '@lettergate/fault'
import { allowedAtRules, allowedFunctions, forbiddenValues, isAllowedProperty } from './css-policy.ts'
import type { StrippedReport } from './stripped.ts'
import { isBackgroundUrl, refusedScheme } from './url-policy.ts'

const deepestNesting = 64
const mistakesMax = 1_000

/** Cleans the CSS of one document. Each distinct text is parsed once, because emails repeat inline styles hundreds of times. */
export class CssCleaner {
  readonly #stripped: StrippedReport
  readonly #declarations = new Map<string, string>()
  #mistakes = 0

  constructor(stripped: StrippedReport) {
    this.#stripped = stripped
  }

  /**
   * Counts parse errors. Fault `invalid_argument` above the limit, because the parser would take minutes for a document full
   * of errors.
   */
  readonly #countMistake = (): void => {
    this.#mistakes += 1
    if (this.#mistakes <= mistakesMax) return
    throw new Fault(
      'invalid_argument',
      'html',
      `html has more than ${mistakesMax} mistakes in its CSS. Repair it, or leave it out.`,
    )
  }

  /** Cleans one `style` attribute; empty when nothing is left. Cleaning the result again changes nothing. */
  declarations(source: string): string {
    const known = this.#declarations.get(source)
    if (known !== undefined) return known
    const { css, saidNothing } = clean(source, 'declarationList', this.#stripped, this.#countMistake)
    if (saidNothing) this.#stripped.attribute('style')
    this.#declarations.set(source, css)
    return css
  }

  /** Cleans one style sheet. The result contains no `<`, so it cannot end its element. */
  styleSheet(source: string): string {
    const { css, saidNothing } = clean(source, 'stylesheet', this.#stripped, this.#countMistake)
    if (saidNothing) this.#stripped.tag('style')
    return css
  }
}

/** Writes the element of a style sheet with its media condition as a rule, or '' when nothing is left. */
export function cleanSheet({ css, media }: { css: string; media: string | undefined }, cleaner: CssCleaner): string {
  const clean = cleaner.styleSheet(media === undefined || media.trim() === '' ? css : `@media ${media}{${css}}`)
  return clean === '' ? '' : `<style>${clean}</style>`
}

interface Cleaned {
  css: string
  /** nothing is left, and nothing with a name was removed */
  saidNothing: boolean
}

function clean(
  source: string,
  context: 'declarationList' | 'stylesheet',
  stripped: StrippedReport,
  onMistake: () => void,
): Cleaned {
  if (nesting(source) > deepestNesting) {
    stripped.cssProperty('unparsable')
    return { css: '', saidNothing: false }
  }
  let unreadable = false
  let named = false
  const onParseError = () => {
    unreadable = true
    onMistake()
  }
  const tree = cssTree.parse(source, { context, onParseError })
  cssTree.walk(tree, {
    enter(node: CssNode, item: ListItem<CssNode>, list: List<CssNode> | null | undefined) {
      // A node outside of a list is a part of its parent, such as the declaration in an @supports condition, and was checked
      // with it.
      if (!list) return undefined
      const removed = removal(node, stripped)
      if (removed !== undefined) {
        named ||= removed !== ''
        if (removed !== '') stripped.cssProperty(removed)
        list.remove(item)
        return cssTree.walk.skip
      }
      return undefined
    },
  })
  dropEmptyRules(tree)
  const css = cssTree.generate(tree)
  if (unreadable && css === '') stripped.cssProperty('unparsable')
  return { css, saidNothing: css === '' && !named && !unreadable }
}

/** Returns the name under which a node is removed, '' to remove it without a report, or undefined to keep it. */
function removal(node: CssNode, stripped: StrippedReport): string | undefined {
  if (node.type === 'Comment' || node.type === 'CDO' || node.type === 'CDC') return ''
  if (node.type === 'Raw') return 'unparsable'
  if (node.type === 'Declaration')
    return declarationIsSafe(node, stripped) ? undefined : cssTree.ident.decode(node.property)
  if (node.type === 'Rule') return selectorIsSafe(node) ? undefined : 'unparsable'
  if (node.type !== 'Atrule') return undefined
  const name = cssTree.ident.decode(node.name).toLowerCase()
  return allowedAtRules.has(name) && conditionIsSafe(node) ? undefined : `@${name}`
}

/** A condition loads nothing, but it may only call allowed functions and may not contain a URL. */
function conditionIsSafe({ prelude, block }: Atrule): boolean {
  if (block === null || prelude?.type !== 'AtrulePrelude' || !isPlain(cssTree.generate(prelude))) return false
  return (
    cssTree.find(
      prelude,
      (part) => part.type === 'Url' || (part.type === 'Function' && !isAllowedFunction(part.name)),
    ) === null
  )
}

const isAllowedFunction = (name: string): boolean => allowedFunctions.has(name.toLowerCase())

/** Escapes are common in class names, such as `.sm\:hidden`, and are allowed there. */
function selectorIsSafe({ prelude }: Rule): boolean {
  return prelude.type === 'SelectorList' && isPlain(cssTree.generate(prelude).replaceAll('\\', ''))
}

/** A refused image in a background is removed alone. The colour stays, because the text is readable on it. */
function declarationIsSafe(node: Declaration, stripped: StrippedReport): boolean {
  const name = node.property.toLowerCase()
  if (node.value.type === 'Raw' || !isAllowedProperty(name)) return false
  const value = cssTree.generate(node.value)
  if (!isPlain(value) || forbiddenValues.get(name)?.test(value.trim()) === true) return false
  let safe = true
  const refused: CssNode[] = []
  cssTree.walk(node.value, (part) => {
    if (part.type === 'Function' && !isAllowedFunction(part.name)) safe = false
    if (part.type === 'Raw') safe = false
    if (part.type !== 'Url' || isBackgroundUrl(part.value)) return
    refused.push(part)
    const scheme = refusedScheme(part.value, new Set(['https']))
    if (scheme !== undefined) stripped.protocol(scheme)
  })
  if (!safe || refused.length === 0) return safe
  if (name !== 'background' || !dropLayers(node.value as Value, refused)) return false
  stripped.cssProperty('background-image')
  return true
}

/**
 * Removes refused images from the layers of a background, and layers without any other content. Returns false when nothing
 * is left.
 */
function dropLayers(value: Value, refused: readonly CssNode[]): boolean {
  const layers: CssNode[][] = [[]]
  for (const part of value.children) {
    if (part.type === 'Operator' && part.value === ',') layers.push([])
    else layers.at(-1)!.push(part)
  }
  // only the last layer may have a colour; other layers without an image show nothing
  const kept = layers.flatMap((layer, index) => {
    const rest = layer.filter((part) => !refused.includes(part))
    const isEmpty = rest.length === 0 || (rest.length < layer.length && index < layers.length - 1)
    return isEmpty ? [] : [rest]
  })
  value.children.clear()
  kept.forEach((layer, index) => {
    if (index > 0) value.children.appendData({ type: 'Operator', value: ',' })
    for (const part of layer) value.children.appendData(part)
  })
  return kept.length > 0
}

/** Whether a text cannot end a style element, open a comment or hide another meaning behind an escape. */
function isPlain(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return !/[<\\\u0000-\u0008\u000e-\u001f]|-->/.test(text)
}

function dropEmptyRules(tree: CssNode): void {
  cssTree.walk(tree, {
    leave(node: CssNode, item: ListItem<CssNode>, list: List<CssNode> | null) {
      const block = node.type === 'Rule' || node.type === 'Atrule' ? node.block : null
      if (block !== null && block.children.isEmpty && list !== null) list.remove(item)
    },
  })
}

function nesting(source: string): number {
  let depth = 0
  let deepest = 0
  for (const char of source) {
    if ('({['.includes(char)) deepest = Math.max(deepest, ++depth)
    else if (')}]'.includes(char)) depth--
  }
  return deepest
}
