import { expect, test } from '@jest/globals'
import { foldersIn, read, services, sourcesOf } from './tree.ts'

const sources = [
  ...services.flatMap((service) => sourcesOf(`services/${service}`)),
  ...foldersIn('libs').flatMap((lib) => sourcesOf(`libs/${lib}`)),
]

/** Literal reasons of faults. The reasons of invalid fields and of 404 follow a rule. */
const reasons = sources.flatMap((path) =>
  [
    ...read(path).matchAll(
      /(?:new (?:Http)?Fault\(\s*(?:'(\w+)'|\d{3})|\b(?:unauthenticated|forbidden)\(),?\s*'([a-z_]+)',/g,
    ),
  ]
    .filter(([, code]) => code !== 'invalid_argument' && code !== 'not_found')
    .map(([, , reason]) => reason!),
)

/** The local edge, which stands where the ingress of a cluster stands, writes its own errors. */
const ofEdge = [...read('deploy/local/edge/error-page.ts').matchAll(/^  \d{3}: '([a-z_]+)',$/gm)].map(
  ([, reason]) => reason!,
)

test('docs/statuses.md lists every reason that X-Error-Reason carries', () => {
  expect(new Set(reasons).size).toBeGreaterThan(60)
  expect(ofEdge.length).toBeGreaterThan(3)
  const page = read('docs/statuses.md')
  expect([...new Set([...reasons, ...ofEdge])].filter((reason) => !page.includes(`\`${reason}\``))).toEqual([])
})
