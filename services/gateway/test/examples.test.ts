import { describe, expect, test } from '@jest/globals'
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
