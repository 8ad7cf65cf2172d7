import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { migrate } from '@lettergate/database/migrate'
import { openStage, type Stage } from '@lettergate/stage'
import { schema } from '../../src/db/migrations.ts'
import { storedTags } from './stored-tags.ts'

const before = schema.migrations.findIndex(({ name }) => name.startsWith('016-'))
let stage: Stage
beforeAll(async () => {
  stage = await openStage({ schemas: [{ ...schema, migrations: schema.migrations.slice(0, before) }] })
})
afterAll(() => stage.close())

const [workspaceId, other] = [newId(), newId()]

async function contact(tags: string[], workspace = workspaceId) {
  const id = newId()
  await stage.query(
    `insert into contacts.contacts (workspace_id, id, email, normalized_email, first_name, tags)
     values ($1, $2, $3, $3, 'Ada', $4)`,
    [workspace, id, `${id}@example.org`, tags],
  )
  return id
}
async function tag(name: string, workspace = workspaceId) {
  const id = newId()
  await stage.query('insert into contacts.tags (workspace_id, id, name) values ($1, $2, $3)', [workspace, id, name])
  return id
}
async function change(of: {
  kind: string
  tagId: string
  from: string
  to: string
  intoId?: string
  isCompleted: boolean
  workspace?: string
}) {
  const { kind, tagId, from, to, intoId = null, isCompleted, workspace = workspaceId } = of
  await stage.query(
    `insert into contacts.tag_changes (workspace_id, id, kind, tag_id, from_name, to_name, into_id, actor, completed_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'ada', case when $8 then now() end)`,
    [workspace, newId(), kind, tagId, from, to, intoId, isCompleted],
  )
}

test('the migration keeps tags with their order, counts and merged ids, and finishes pending renames', async () => {
  const ids = Object.fromEntries(
    await Promise.all(['a', 'b', 'new', 'unused'].map(async (name) => [name, await tag(name)] as const)),
  ) as Record<string, string>
  const theirs = await tag('a', other)
  const expected = new Map([
    [await contact(['b', 'a']), ['b', 'a']],
    [await contact(['a']), ['a']],
    [await contact([]), []],
    [await contact(['old', 'a']), ['new', 'a']],
    [await contact(['new', 'b', 'old']), ['new', 'b']],
    [await contact(['not in the catalogue']), ['not in the catalogue']],
    [await contact(['a'], other), ['a']],
  ])
  const [first, second, last] = [newId(), newId(), newId()]
  const merged = { kind: 'merged', isCompleted: true }
  await change({ ...merged, tagId: first, from: 'first', to: 'second', intoId: second })
  await change({ ...merged, tagId: second, from: 'second', to: 'b', intoId: ids['b']! })
  await change({ ...merged, tagId: last, from: 'last', to: 'gone', intoId: newId() })
  await change({ kind: 'renamed', tagId: ids['new']!, from: 'old', to: 'new', isCompleted: false })
  await change({ kind: 'renamed', tagId: theirs, from: 'x', to: 'a', isCompleted: true, workspace: other })

  await migrate(stage.adminUrl, schema)

  for (const [id, tags] of expected) expect(await storedTags(stage, id)).toEqual(tags)
  const counts = await stage.query<{ workspace_id: string; name: string; contacts: string }>(
    `select t.workspace_id, t.name, coalesce(sum(c.contacts), 0) as contacts
       from contacts.tags t left join contacts.tag_counts c on c.workspace_id = t.workspace_id and c.tag_id = t.id
      group by t.workspace_id, t.name order by t.workspace_id, t.name`,
  )
  const of = (workspace: string) =>
    Object.fromEntries(
      counts
        .filter((count) => count.workspace_id === workspace)
        .map(({ name, contacts }) => [name, Number(contacts)] as const),
    )
  expect(of(workspaceId)).toEqual({ a: 3, b: 2, new: 2, 'not in the catalogue': 1, unused: 0 })
  expect(of(other)).toEqual({ a: 1 })
  const mergedTags = await stage.query<{ id: string; into_id: string }>('select id, into_id from contacts.merged_tags')
  expect(new Map(mergedTags.map(({ id, into_id }) => [id, into_id]))).toEqual(
    new Map([
      [first, ids['b']],
      [second, ids['b']],
    ]),
  )
})
