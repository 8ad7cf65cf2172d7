import * as cssTree from 'css-tree'
import type { CssNode, Rule } from 'css-tree'

/**
 * Values by property name, both in lower case. The colour of a background is stored as `background-color`, however it was
 * declared.
 */
export type Declarations = ReadonlyMap<string, { value: string; isImportant: boolean }>

/** Properties that decide whether text is visible. Others are ignored. */
const deciding = new Set(
  'background-color color display font-size height max-height max-width opacity overflow text-indent visibility width'.split(
    ' ',
  ),
)

/** Parses a style attribute. */
export const declarationsIn = (css: string): Declarations =>
  declared(cssTree.parse(css, { context: 'declarationList' }))

/** Parses the rules outside of media queries by `tag`, `.class`, `#id`, `tag.class` or `tag#id`. Other selectors are ignored. */
export function plainRules(sheets: readonly string[]): ReadonlyMap<string, Declarations> {
  const rules = new Map<string, Declarations>()
  for (const sheet of sheets) {
    const tree = cssTree.parse(sheet)
    if (tree.type !== 'StyleSheet') continue
    for (const rule of tree.children) {
      if (rule.type !== 'Rule') continue
      const declarations = declared(rule.block)
      for (const name of plainNames(rule)) rules.set(name, cascade([rules.get(name) ?? new Map(), declarations]))
    }
  }
  return rules
}

/** Merges declarations in order: the last one of a property wins, unless an earlier one is `!important`. */
export function cascade(all: readonly Declarations[]): Declarations {
  const held = new Map<string, { value: string; isImportant: boolean }>()
  for (const [name, declaration] of all.flatMap((declarations) => [...declarations]))
    if (declaration.isImportant || held.get(name)?.isImportant !== true) held.set(name, declaration)
  return held
}

function declared(tree: CssNode): Declarations {
  const found: Declarations[] = []
  cssTree.walk(tree, (node) => {
    if (node.type !== 'Declaration') return
    const property = node.property.toLowerCase()
    const name = property === 'background' ? 'background-color' : property
    if (!deciding.has(name)) return
    const value = cssTree.generate(node.value).toLowerCase()
    const isImportant = node.important === true || /^important$/i.test(String(node.important))
    found.push(new Map([[name, { value, isImportant }]]))
  })
  return cascade(found)
}

function plainNames({ prelude }: Rule): string[] {
  if (prelude.type !== 'SelectorList') return []
  return prelude.children.toArray().flatMap((selector) => {
    const name = cssTree.generate(selector)
    return /^(?:[a-z][a-z\d]*|[a-z\d]*[.#][\w-]+)$/i.test(name) ? [name] : []
  })
}
