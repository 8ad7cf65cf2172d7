// Over 300 lines because booting the services takes longer than the tests, which share them.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { sha256Of } from '@lettergate/canonical-json'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { peopleFile } from './files.ts'
import { openRunning, type RunningStage } from './running-stage.ts'

const rowsMax = 4_000

let s: RunningStage
beforeAll(async () => {
  s = await openRunning()
  await s.worker({ IMPORT_MAX_ROWS: String(rowsMax) })
})
afterAll(() => s.close())

const file = (...lines: string[]) => `email,first_name,status\n${lines.join('\n')}\n`

async function completed(csv: string, options: Parameters<RunningStage['mapped']>[1] = {}) {
  const { as = s.us } = options
  const id = await s.mapped(csv, options)
  const reviewable = await s.reached(id, 'ready_for_review', as)
  expect(reviewable.error).toBeUndefined()
  await s.approve(id, as)
  const done = await s.reached(id, 'completed', as)
  expect(done.error).toBeUndefined()
  return { id, reviewable, done }
}

test('a file is evaluated, approved, applied and reconciled, and its payload is destroyed', async () => {
  const as = await s.workspace('whole')
  const audienceId = await s.audience(as)
  const { id, reviewable, done } = await completed(
    [
      'email,first_name,status,note',
      'Ada@Example.org,Ada,subscribed,x',
      'grace@example.org,Grace,subscribed,x',
      'ada@example.ORG,Ada again,subscribed,x',
      'gone@example.org,Gone,unsubscribed,x',
      'bad address,Bad,subscribed,x',
      'blocked@example.org,Blocked,suppressed,x',
      'waits@example.org,,pending,x',
      'too,few',
      '',
    ].join('\n'),
    {
      as,
      audienceId,
      mapping: { email: 'email', first_name: 'first_name', status: 'status', note: 'ignore' },
      policy: { consent_basis: 'double opt-in', wording_version: 'footer-2025', evidence_reference: 'export 17' },
    },
  )
  expect(JSON.stringify(reviewable.report)).toContain('The file was read with commas between cells.')
  const counts = {
    rows_total: 8,
    rows_valid: 6,
    rows_invalid: 2,
    invalid_reasons: { email_invalid: 1, too_few_cells: 1 },
    duplicate_rows: 1,
    contacts_new: 5,
    contacts_existing: 0,
    consent_to_record: 2,
    already_subscribed: 0,
    suppressions_to_apply: 2,
    already_refused: 0,
    blocked_by_suppression: 0,
    needs_review: 1,
  }
  const { mapping, policy, consentPolicy } = reviewable
  expect(reviewable.report).toEqual({
    ...counts,
    consent_policy: 'status_column',
    mapping_checksum: sha256Of({ mapping, policy }),
    reasons: ['consent_pending', 'duplicate_address', 'email_invalid', 'too_few_cells'].map((reason) => ({
      reason,
      count: 1,
      what_to_change: expect.any(String),
    })),
  })
  expect(done).toMatchObject({ status: 'completed', payloadRetained: false, attemptCount: 2 })
  expect(done.report).toMatchObject({
    ...counts,
    applied: { contacts_new: 5, consent_recorded: 2, suppressions_applied: 2, needs_review: 1 },
    reconciliation: { matches: true },
  })
  expect(done.reportChecksum).toBe(reviewable.reportChecksum)
  // What was approved can be read after the file is gone.
  expect(policy).toMatchObject({ consent_basis: 'double opt-in', evidence_reference: 'export 17' })
  for (const shown of [reviewable, done]) expect(shown).toMatchObject({ audienceId, mapping, policy, consentPolicy })
  expect(await s.changed(as)).toMatchObject({
    contacts: ['ada', 'blocked', 'gone', 'grace', 'waits'].map((name) => ({ normalized_email: `${name}@example.org` })),
    memberships: expect.arrayContaining([
      { normalized_email: 'ada@example.org', is_active: true, consent: 'granted' },
      { normalized_email: 'grace@example.org', is_active: true, consent: 'granted' },
    ]),
    suppressions: [
      { normalized_email: 'blocked@example.org', scope: 'workspace', reason: 'import', is_open: true },
      { normalized_email: 'gone@example.org', scope: 'audience', reason: 'import', is_open: true },
    ],
  })
  const audits = await s.stage.query<{ payload: Buffer }>(
    `select payload from imports.outbox where event = 'audit_recorded' and workspace_id = $1 order by id`,
    [as.caller.workspaceId],
  )
  expect(audits.map(({ payload }) => fromBinary(AuditRecordedSchema, payload))).toMatchObject([
    { action: 'import_approved', subjectId: id, actor: 'tester' },
    { action: 'import_completed', subjectId: id, actor: 'system:run-imports' },
  ])
})

test.each([
  ['the refusal is first', ['suppressed', 'unsubscribed', 'subscribed']],
  ['the refusal is last', ['subscribed', 'unsubscribed', 'suppressed']],
  ['the refusal is between', ['subscribed', 'suppressed', 'pending']],
])('the most restrictive status of an address counts when %s', async (name, statuses) => {
  const as = await s.workspace(name.replaceAll(' ', '-'))
  const { done } = await completed(file(...statuses.map((status, n) => `Ada@example.org,Ada ${n},${status}`)), { as })
  expect(done.report).toMatchObject({
    duplicate_rows: 2,
    contacts_new: 1,
    consent_to_record: 0,
    suppressions_to_apply: 1,
    applied: { suppressions_applied: 1, consent_recorded: 0 },
    reconciliation: { matches: true },
  })
  expect(await s.changed(as)).toMatchObject({
    contacts: [{ normalized_email: 'ada@example.org', first_name: 'Ada 0' }],
    suppressions: [{ scope: 'workspace', reason: 'import', is_open: true }],
  })
})

test.each([
  ['first', ['perhaps', 'subscribed']],
  ['last', ['subscribed', 'perhaps']],
  ['between others', ['subscribed', 'perhaps', 'subscribed']],
])('an address with a row whose status is unknown is not subscribed by another row: %s', async (place, statuses) => {
  const as = await s.workspace(`unclear-${place.replaceAll(' ', '-')}`)
  const { done } = await completed(
    file(...statuses.map((status) => `Ada@example.org,Ada,${status}`), 'bea@example.org,Bea,subscribed'),
    { as },
  )
  expect(done.report).toMatchObject({
    invalid_reasons: { status_unknown: 1 },
    duplicate_rows: statuses.length - 2,
    consent_to_record: 1,
    needs_review: 1,
    reasons: expect.arrayContaining([
      {
        reason: 'other_row_status_unknown',
        count: 1,
        what_to_change: expect.stringContaining('Say in the policy what the status means'),
      },
    ]),
    reconciliation: { matches: true },
  })
  expect((await s.changed(as)).memberships).toEqual([
    { normalized_email: 'bea@example.org', is_active: true, consent: 'granted' },
  ])
})

test.each([
  ['too few cells, first', ['ada@example.org,unsubscribed', 'ada@example.org,subscribed,hi']],
  ['too few cells, last', ['ada@example.org,subscribed,hi', 'ada@example.org,unsubscribed']],
  ['too many cells, first', ['ada@example.org,unsubscribed,a,b', 'ada@example.org,subscribed,hi']],
  ['too many cells, last', ['ada@example.org,subscribed,hi', 'ada@example.org,unsubscribed,a,b']],
])('a refusal counts in a row with %s', async (name, lines) => {
  const as = await s.workspace(`ragged-${name.replaceAll(/[ ,]+/g, '-')}`)
  const mapping = { email: 'email', status: 'status', note: 'ignore' }
  const { done } = await completed(`email,status,note\n${lines.join('\n')}\n`, { as, mapping })
  expect(done.report).toMatchObject({
    consent_to_record: 0,
    suppressions_to_apply: 1,
    reconciliation: { matches: true },
  })
  expect(await s.changed(as)).toMatchObject({
    suppressions: [{ normalized_email: 'ada@example.org', scope: 'audience', reason: 'import', is_open: true }],
  })
})

test.each([
  ['a quote that is not doubled', 'ada@example.org,"Ada "Countess" L, x",unsubscribed'],
  ['text after a closing quote', 'ada@example.org,"Ada"x,unsubscribed'],
  ['an open quote', '"ada@example.org,Ada,unsubscribed'],
])('a refusal counts in a row with wrong quotes: %s', async (name, line) => {
  const as = await s.workspace(`quotes-${name.replaceAll(/[ ,]+/g, '-')}`)
  const { done } = await completed(file('ada@example.org,Ada,subscribed', line, 'bea@example.org,Bea,subscribed'), {
    as,
  })
  expect(done.report).toMatchObject({
    rows_invalid: 0,
    duplicate_rows: 1,
    consent_to_record: 1,
    suppressions_to_apply: 1,
    reconciliation: { matches: true },
  })
  expect(await s.changed(as)).toMatchObject({
    memberships: [
      { normalized_email: 'ada@example.org', is_active: false, consent: 'withdrawn' },
      { normalized_email: 'bea@example.org', is_active: true, consent: 'granted' },
    ],
    suppressions: [{ normalized_email: 'ada@example.org', scope: 'audience', reason: 'import', is_open: true }],
  })
})

test('a row with wrong quotes that refuses nobody lets no other row subscribe its address', async () => {
  const as = await s.workspace('quotes-unclear')
  const { done } = await completed(file('ada@example.org,Ada,subscribed', 'ada@example.org,"Ada"x,subscribed'), { as })
  expect(done.report).toMatchObject({
    invalid_reasons: { malformed_quotes: 1 },
    consent_to_record: 0,
    needs_review: 1,
    reasons: expect.arrayContaining([expect.objectContaining({ reason: 'other_row_status_unknown', count: 1 })]),
  })
})

test('a report is of one mapping: another one with the same counts has another checksum', async () => {
  const id = await s.mapped(file('ada@example.org,Ada,subscribed'))
  const first = await s.reached(id, 'ready_for_review')
  const mapping = { email: 'email', first_name: 'company', status: 'status' }
  await s.imports.mapImport(s.us, { jobId: id, mapping, consentPolicy: 'status_column', policy: {} })
  const second = await s.reached(id, 'ready_for_review')
  const counts = ({ report }: typeof first) => ({ ...report, mapping_checksum: null })
  expect(counts(second)).toEqual(counts(first))
  const request = { jobId: id, confirmation: s.confirmation(id), reportChecksum: first.reportChecksum! }
  await expect(s.imports.approveImport(s.us, request)).rejects.toMatchObject({
    code: 'conflict',
    reason: 'report_checksum',
  })
})

test('with status_column an empty status is no consent, whatever default_status says', async () => {
  const as = await s.workspace('empty')
  const csv = file('ada@example.org,Ada,', 'bea@example.org,Bea,subscribed')
  const { done } = await completed(csv, { as, policy: { default_status: 'subscribed' } })
  expect(done.report).toMatchObject({
    consent_to_record: 1,
    needs_review: 1,
    reasons: [{ reason: 'no_status', count: 1 }],
    reconciliation: { matches: true },
  })
})

test('a dry run refuses a file with more new tags than the workspace has room for, as an apply would', async () => {
  const as = await s.workspace('tags')
  await s.stage.query(
    `insert into contacts.tags (workspace_id, id, name) select $1, gen_random_uuid(), 'tag ' || n from generate_series(1, 9998) n`,
    [as.caller.workspaceId],
  )
  const people = (tags: string[]) => file(...tags.map((tag, n) => `p${n}@example.org,${tag},subscribed`))
  const mapping = { email: 'email', first_name: 'tags', status: 'status' }
  const refused = await s.reached(await s.mapped(people(['a', 'b', 'c', 'tag 1']), { as, mapping }), 'failed', as)
  expect(refused.error).toEqual({
    reason: 'tags',
    message: expect.stringContaining('3 tags that the workspace does not have, and there is room for 2'),
  })
  const { done } = await completed(people(['a', 'b', 'tag 1', 'a']), { as, mapping })
  expect(done.report).toMatchObject({ consent_to_record: 4, reconciliation: { matches: true } })
})

test('a dry run refuses a file with more rows than the limit, and one with as many is taken', async () => {
  const as = await s.workspace('rows')
  const rows = (count: number) => file(...Array.from({ length: count }, (_, n) => `p${n}@example.org,P,subscribed`))
  const refused = await s.reached(await s.mapped(rows(rowsMax + 1), { as }), 'failed', as)
  expect(refused.error).toEqual({
    reason: 'too_many_rows',
    message: expect.stringContaining(`more than ${rowsMax} rows`),
  })
  const taken = await s.reached(await s.mapped(rows(rowsMax), { as }), 'ready_for_review', as)
  expect(taken.report).toMatchObject({ rows_total: rowsMax })
})

test('a dry run writes nothing outside of its import', async () => {
  // The jobs of contacts-consent and the relays write to the excluded tables all the time.
  const tables = (
    await s.stage.query<{ name: string }>(
      `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
        where schemaname in ('contacts', 'sending', 'identity') and relname not in ('consent_record_checks', 'relay_state', 'outbox_pending', 'outbox_published', 'inbox')
        order by 1`,
    )
  ).map(({ name }) => name)
  const contents = async () => {
    const read = await Promise.all(
      tables.map(async (table) => {
        const [{ hash } = { hash: null }] = await s.stage.query<{ hash: string | null }>(
          `select md5(string_agg(t::text, e'\\n' order by t::text)) as hash from ${table} t`,
        )
        return [table, hash] as const
      }),
    )
    return Object.fromEntries(read)
  }
  const audienceId = await s.audience()
  await completed(peopleFile(100), { audienceId })
  await until(async () => (await s.stage.query('select from contacts.unsealed_consent_batches limit 1')).length === 0, {
    what: 'the consent record to be sealed',
  })
  const audited = ['contacts', 'identity', 'imports', 'sending'].map(
    (schema) => `select id from ${schema}.outbox where event = 'audit_recorded'`,
  )
  const unaudited = `select from (${audited.join(' union all ')}) as e where not exists (select from identity.audit_log a where a.id = e.id)
    union all select from identity.unsealed_audit_entries`
  await until(async () => (await s.stage.query(unaudited)).length === 0, { what: 'the audit log to be sealed' })
  const before = await contents()
  const id = await s.mapped(peopleFile(500), { audienceId })
  const { report } = await s.reached(id, 'ready_for_review')
  expect(report).toMatchObject({ rows_total: 500 })
  expect(await contents()).toEqual(before)
  expect(tables.length).toBeGreaterThan(30)
})

test('a file with a header only has a report without rows and is completed', async () => {
  const { done } = await completed('email,status\n')
  expect(done.report).toMatchObject({ rows_total: 0, contacts_new: 0, reconciliation: { matches: true } })
})

test('a file of many batches is applied once, and again it changes nothing', async () => {
  const as = await s.workspace('twice')
  const audienceId = await s.audience(as)
  const csv = peopleFile(3_500)
  const { id, done } = await completed(csv, { as, audienceId })
  expect(done.report).toMatchObject({ rows_total: 3_500, reconciliation: { matches: true } })
  const once = await s.changed(as)
  const addresses = Number(done.report!['contacts_new'])
  expect(once.contacts).toHaveLength(addresses)
  expect(await s.ledger(id)).toEqual({ rows: addresses, most: 1 })

  const again = await completed(csv, { as, audienceId })
  expect(again.done.report).toMatchObject({
    contacts_new: 0,
    contacts_existing: addresses,
    consent_to_record: 0,
    suppressions_to_apply: 0,
    already_subscribed: done.report!['consent_to_record'],
    already_refused: done.report!['suppressions_to_apply'],
    reconciliation: { matches: true },
  })
  expect(await s.changed(as)).toEqual(once)
})

test('an import of another workspace does not wait for a long one, and a workspace has one import at a time', async () => {
  const as = await s.workspace('beside')
  const lock = await s.held('contacts')
  try {
    const [first, second] = [await s.mapped(peopleFile(10)), await s.mapped(peopleFile(10))]
    const other = await s.mapped(peopleFile(10), { as })
    await lock.waited()
    const running = async () =>
      (await s.stage.query<{ id: string }>(`select id from imports.import_jobs where status = 'dry_run_running'`)).map(
        ({ id }) => id,
      )
    await until(async () => (await running()).length === 2, { what: 'two imports to run' })
    expect((await running()).toSorted()).toEqual([first, other].toSorted())
    expect((await s.read(second)).status).toBe('dry_run_queued')
    await lock.release()
    for (const [id, scope] of [
      [first, s.us],
      [second, s.us],
      [other, as],
    ] as const)
      expect((await s.reached(id, 'ready_for_review', scope)).status).toBe('ready_for_review')
  } finally {
    await lock.release()
  }
})

test('a refusal counts, also if another cell of its row cannot be used', async () => {
  const as = await s.workspace('damaged')
  const { done } = await completed(
    file(
      'ada@example.org,Ada,subscribed',
      'ada@example.org,A\u0001da,unsubscribed',
      'bea@example.org,B\u0001ea,subscribed',
    ),
    { as },
  )
  expect(done.report).toMatchObject({
    rows_valid: 2,
    invalid_reasons: { control_characters: 1 },
    consent_to_record: 0,
    suppressions_to_apply: 1,
    reconciliation: { matches: true },
  })
})
