import { filesBelow, isTypeScript } from './tree.ts'

/** Words that must not be used, each with its replacement. */
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

/** Phrases in which a letter is a character, and the term "dead letter". */
const allowed = [
  /\b(?:dead|is dead|capital|lower[- ]?case|upper[- ]?case|small|two|43|128) letters?\b/gi,
  /\bletter[- ]?(?:case|spacing)\b/gi,
  /\bletters?(?:,? (?:and|or))?,? (?:digits?|hyphens?|numbers?)\b/gi,
  /\b(?:with|in) a letter\b/gi,
]

/** The words of a text, with identifiers split: `deadLetters` and `dead_letters` are "dead letters". */
const wordsOf = (text: string): string =>
  allowed.reduce(
    (rest, phrase) => rest.replaceAll(phrase, ''),
    text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/(?<=[A-Za-z])[_-](?=[A-Za-z])/g, ' '),
  )

/** The number of occurrences of each word in a text. */
export function countIn(text: string): Record<string, number> {
  const words = wordsOf(text)
  const counts = Object.keys(instead).map((word) => [
    word,
    [...words.matchAll(new RegExp(`\\b(?:${word})\\b`, 'gi'))].length,
  ])
  return Object.fromEntries(counts.filter(([, count]) => count !== 0))
}

const generated = ['docs/configuration.md']

/** Documents, OpenAPI documents and protos, which must not contain the words. */
export const documents = (): string[] =>
  ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']
    .concat(
      ['docs', 'services', 'clients', 'libs', 'test', 'deploy', 'charts']
        .flatMap(filesBelow)
        .filter((path) => path.endsWith('.md')),
      filesBelow('charts').filter((path) => /\.(yaml|tpl|txt)$/i.test(path)),
      filesBelow('services/gateway/openapi').filter((path) => path.endsWith('.yaml')),
      filesBelow('proto').filter((path) => path.endsWith('.proto')),
    )
    .filter((path) => !generated.includes(path))

/** Test data of the sanitiser, and this list, which contain the words as data. */
const isData = (path: string) => path.includes('/hostile/') || path.startsWith('test/guard/plain-words')

/** The TypeScript of the repository, without files that contain the words as data. */
export const sources = (): string[] =>
  ['services', 'clients', 'libs', 'test', 'deploy', 'tools']
    .flatMap(filesBelow)
    .filter((path) => isTypeScript(path) && !isData(path))
