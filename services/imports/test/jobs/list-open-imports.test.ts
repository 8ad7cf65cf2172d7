import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openImports, type ImportsStage } from '../imports-stage.ts'

let s: ImportsStage
beforeAll(async () => {
  s = await openImports()
})
afterAll(() => s.close())

test('imports of the own workspace that have not ended are listed, newest first', async () => {
  const ended = await s.stored()
  const open = [await s.stored(), await s.stored()]
  await s.stored(undefined, s.them)
  await s.imports.cancelImport(s.us, { jobId: ended })
  const { imports } = await s.imports.listOpenImports(s.us, {})
  expect(imports.map(({ id, status }) => ({ id, status }))).toEqual(
    open.toReversed().map((id) => ({ id, status: 'uploaded' })),
  )
})
