import { expect, test } from '@jest/globals'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Checks from './statement-check.ts'

// Another instance of the module, because a stage of another test file may have turned the checks on.
const own = './statement-check.ts?own'
const { checkStatements, isChecking, recordExecuted, checkShape } = (await import(own)) as typeof Checks

test('checks and the list of statements are off by default, and then each name is listed once', () => {
  expect(isChecking()).toBe(false)
  checkShape('unchecked', {}, [{ id: 1 }])
  recordExecuted('unnoted')
  const directory = mkdtempSync(join(tmpdir(), 'lettergate-statement-check-'))
  checkStatements(directory)
  recordExecuted('one')
  recordExecuted('two')
  recordExecuted('one')
  const written = readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8'))
  rmSync(directory, { recursive: true })
  expect(written).toEqual(['one\ntwo\n'])
})
