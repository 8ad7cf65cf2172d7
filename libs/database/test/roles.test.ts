import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { openStage, type Stage } from '@lettergate/stage'
import { migratorRole, ownerOf, rolesSql } from '../src/roles.ts'

const schema = `refused_${randomUUID().slice(0, 8)}`
const ours = [{ service: schema, schema, role: schema, migrations: [] }]
const foreign = `${schema}_foreign`

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ schemas: ours })
  await stage.query(`create role ${foreign}`)
})
afterAll(async () => {
  await stage.query(`drop role ${foreign}`)
  await stage.close()
})

/** Other tests of the run make roles on the same server. */
const inOneTransaction = (...statements: string[]) =>
  stage.query(["select pg_advisory_xact_lock(hashtext('lettergate roles'))", ...statements].join(';\n'))

test.each([
  [schema, 'pg_read_all_data'],
  [schema, ownerOf(schema)],
  [ownerOf(schema), foreign],
  [migratorRole, foreign],
])('the statement that creates the roles refuses %s as a member of %s', async (role, other) => {
  const refusal = `the role ${role} may not be a member of ${other}`
  await expect(inOneTransaction(`grant ${other} to ${role}`, rolesSql(ours))).rejects.toThrow(refusal)
})

test('the statement that creates the roles may be repeated', async () => {
  await inOneTransaction(rolesSql(ours), rolesSql(ours))
})
