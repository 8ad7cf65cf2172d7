import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, read, root } from './tree.ts'

/** Words that must not be used, each with the word to write instead. */
export const instead: Record<string, string> = {
  'letters?': 'email, message or campaign',
  'wish(?:es|ed)?': 'input, request or options',
  'twins?': 'retry, duplicate request or peer',
  'strangers?': 'unknown credential, unknown caller or address without a contact',
  crowded: 'too many values',
  landed: 'inserted, stored or result',
  'who(?:so)?ever': 'a subject: the caller, the contact, the user',
  whomever: 'a subject: the caller, the contact, the user',
  whom: 'a short sentence with a subject: the recipient, the contact',
  patience: 'keep building after the caller times out',
  'forgetting|forgotten': 'retention, purge or deleted',
  'went through': 'run state change, or used',
  'told of': 'reported, or raises an alert',
  'the house': 'the repository, the code or the architecture',
  nevertheless: 'still',
  hitherto: 'until now',
  henceforth: 'from now on',
  thereof: 'of it',
  vouch: 'confirm',
  'mend(?:ed|ing|s)?': 'fix',
}

/** Where a letter is a character, or the word belongs to "dead letter". */
const allowed = [
  /\b(?:dead|is dead|capital|lower[- ]?case|upper[- ]?case|small|two|43|128) letters?\b/gi,
  /\bletter[- ]?case\b/gi,
  /\bletters?(?:,? (?:and|or))?,? (?:digits?|hyphens?|numbers?)\b/gi,
  /\b(?:with|in) a letter\b/gi,
]

/** The words of a text, with identifiers taken apart: `deadLetters` and `dead_letters` are "dead letters". */
const wordsOf = (text: string): string =>
  allowed.reduce(
    (rest, phrase) => rest.replaceAll(phrase, ''),
    text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/(?<=[A-Za-z])[_-](?=[A-Za-z])/g, ' '),
  )

/** How often each word stands in a text. */
export function countIn(text: string): Record<string, number> {
  const words = wordsOf(text)
  const counts = Object.keys(instead).map((word) => [
    word,
    [...words.matchAll(new RegExp(`\\b(?:${word})\\b`, 'gi'))].length,
  ])
  return Object.fromEntries(counts.filter(([, count]) => count !== 0))
}

const generated = ['docs/configuration.md']

/** Documents, OpenAPI texts and comments of protos; none of the words may stand there. */
export const documents = (): string[] =>
  ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']
    .concat(
      ['docs', 'services', 'libs', 'test', 'deploy'].flatMap(filesBelow).filter((path) => path.endsWith('.md')),
      filesBelow('services/gateway/openapi').filter((path) => path.endsWith('.yaml')),
      filesBelow('proto').filter((path) => path.endsWith('.proto')),
    )
    .filter((path) => !generated.includes(path))

/** Test data of the sanitiser, where a word is data, and this list itself. */
const isData = (path: string) => path.includes('/hostile/') || path.startsWith('test/guard/plain-words')

/** How often each word stands in the TypeScript of each service, lib and other folder. */
export function countsOfCode(): Record<string, Record<string, number>> {
  const texts = new Map<string, string[]>()
  for (const path of ['services', 'libs', 'test', 'deploy', 'tools'].flatMap(filesBelow)) {
    if (!path.endsWith('.ts') || isData(path)) continue
    const folder = path
      .split('/')
      .slice(0, path.startsWith('tools/') ? 1 : 2)
      .join('/')
    texts.set(folder, [...(texts.get(folder) ?? []), read(path)])
  }
  const counts = [...texts].map(([folder, parts]) => [folder, countIn(parts.join('\n'))] as const)
  return Object.fromEntries(
    counts.filter(([, found]) => Object.keys(found).length !== 0).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

export const exceptionsFile = 'test/guard/plain-words.json'

if (import.meta.main) {
  writeFileSync(join(root, exceptionsFile), `${JSON.stringify(countsOfCode(), null, 2)}\n`)
}
