import { describe, expect, test } from '@jest/globals'
import { sha256Of } from '@lettergate/canonical-json'
import { loadDocument, type Content, type DocumentKind } from '../src/engine/load-document.ts'
import { schemasOf } from '../src/engine/validate.ts'
import { routesOf } from './document-reading.ts'

const kinds: DocumentKind[] = ['public', 'console']

/** Every media type of every request and success response, with its path in the document. */
function contentsOf(kind: DocumentKind) {
  return routesOf(loadDocument(kind)).flatMap(({ method, path, operation }) => {
    const at = ['paths', path, method]
    const contents: [string[], Content | undefined][] = [
      [[...at, 'requestBody', 'content'], operation.requestBody?.content],
      ...Object.entries(operation.responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, response]): [string[], Content | undefined] => [
          [...at, 'responses', status, 'content'],
          '$ref' in response ? undefined : response.content,
        ]),
    ]
    return contents.flatMap(([steps, content = {}]) =>
      Object.entries(content).map(([type, { example }]) => ({
        operationId: operation.operationId,
        steps: [...steps, type, 'schema'],
        example,
      })),
    )
  })
}

interface ExampleVersion {
  id: string
  version: number
  definition_checksum: string
}
interface ExampleAutomation {
  status: string
  current_version: number
  review_ready_version: number | null
  selected_version: ExampleVersion & { definition: object; validation: object; preview: object }
  versions: ExampleVersion[]
}

/** The automations that the examples of an operation answer. */
const automationsIn = (kind: DocumentKind) =>
  contentsOf(kind).flatMap(({ operationId, example }) => {
    const { automation } = (example ?? {}) as { automation?: ExampleAutomation }
    return automation ? [{ operationId, automation }] : []
  })

test.each(kinds.flatMap(automationsIn))(
  'the example of $operationId is an automation as it can be',
  ({ automation }) => {
    const { definition, validation: _, preview: __, ...current } = automation.selected_version
    expect(automation.versions[0]).toEqual(current)
    expect(automation.current_version).toBe(current.version)
    expect(automation.versions.map(({ version }) => version)).toEqual(
      Array.from({ length: current.version }, (_, n) => current.version - n),
    )
    expect(current.definition_checksum).toBe(sha256Of(definition))
    const isReviewed = ['ready_for_review', 'published', 'paused'].includes(automation.status)
    expect(automation.review_ready_version).toBe(isReviewed ? current.version : null)
  },
)

describe.each(kinds)('the %s document', (kind) => {
  const schemas = schemasOf(kind)
  const contents = contentsOf(kind)

  test('has an example of every request and every success response', () => {
    expect(contents.length).toBeGreaterThan(70)
    expect(contents.filter(({ example }) => example === undefined)).toEqual([])
    const shown = new Set(contents.map(({ operationId }) => operationId))
    const operations = routesOf(loadDocument(kind)).map(({ operation }) => operation.operationId)
    expect(operations.filter((operationId) => !shown.has(operationId))).toEqual([])
  })

  test.each(contents)('the example of $operationId at $steps fits its schema', ({ steps, example }) => {
    const validate = schemas.compile(steps)
    validate(example)
    expect(validate.errors ?? []).toEqual([])
  })
})
