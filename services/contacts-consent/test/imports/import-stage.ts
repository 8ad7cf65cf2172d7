import { randomUUID } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ImportOutcome, ImportPlanSchema } from '@lettergate/contracts/contacts/v1/imports'
import { patiently } from '@lettergate/stage/patiently'
import type { ContactsStage } from '../contacts-stage.ts'

/** One row of a file, by target. `email` is required. */
export type FileRow = { readonly email: string } & Readonly<Record<string, string | undefined>>

export const checksum = (digit: string) => digit.repeat(64)

export const approval = {
  sourceLabel: 'Old shop',
  fileSha256: checksum('a'),
  mappingChecksum: checksum('b'),
  reportChecksum: checksum('c'),
  approvedBy: 'owner',
}

const columnsOf = (rows: readonly FileRow[]) => {
  const targets = [...new Set(['email', ...rows.flatMap((row) => Object.keys(row))])]
  return targets.map((target) => ({ target, values: rows.map((row) => row[target] ?? '') }))
}

const joined = (columns: ReturnType<typeof columnsOf>) =>
  columns.map(({ target, values }) => ({ target, values: values.join('\u001f') }))

/** Rows of a file by column. Their numbers begin at `first`. */
export const rowsOf = (rows: readonly FileRow[], first = 1) => ({
  rowNumbers: rows.map((_, index) => first + index),
  columns: joined(columnsOf(rows)),
})

export const optIn = {
  consentPolicy: 'explicit_opt_in',
  consentBasis: 'newsletter form',
  consentSource: 'old shop',
  wordingVersion: '2024-1',
  evidenceReference: 'ticket 7',
}

/** The result of each row by its number: outcome, contact and reasons as one text. */
export const told = (outcomes: readonly ImportOutcome[]): string[] => {
  const results: string[] = []
  for (const { outcome, contact, reasons, rowNumbers } of outcomes) {
    for (const row of rowNumbers) results[row - 1] = [outcome, contact, ...reasons].join(' ')
  }
  return results
}

const isRefusal = (row: FileRow) => row.status === 'unsubscribed' || row.status === 'suppressed'

/** An import into one audience, with the calls of the worker. */
export function newImport(
  s: ContactsStage,
  audienceId: string,
  {
    caller = s.us,
    applyNumber = 0,
    epoch = 1,
    ...more
  }: { caller?: ContactsStage['us']; applyNumber?: number; epoch?: number } & MessageInitShape<
    typeof ImportPlanSchema
  > = {},
) {
  const plan = { ...optIn, importId: randomUUID() as string, audienceId, ...more }
  const approved = { ...approval, applyNumber, epoch }
  const part = (rows: readonly FileRow[], isIn: (row: FileRow) => boolean, file = rows) => {
    const taken = rows.flatMap((row, index) => (isIn(row) ? [index] : []))
    const of = <T>(values: readonly T[]) => taken.map((index) => values[index]!)
    return {
      rowNumbers: of(rows.map((row) => file.indexOf(row) + 1)),
      columns: joined(columnsOf(rows).map(({ target, values }) => ({ target, values: of(values) }))),
    }
  }
  const suppressOnce = async (rows: readonly FileRow[], file = rows) => {
    const refusals = part(rows, isRefusal, file)
    return (await s.contacts.applyImportSuppressions(caller, { plan, approval: approved, rows: refusals })).outcomes
  }
  const suppress = (rows: readonly FileRow[], file = rows) => patiently(() => suppressOnce(rows, file))
  const applyOnce = async (rows: readonly FileRow[], file = rows) => {
    const others = part(rows, (row) => !isRefusal(row), file)
    return (await s.contacts.applyImportRows(caller, { plan, approval: approved, rows: others })).outcomes
  }
  const apply = (rows: readonly FileRow[], file = rows) => patiently(() => applyOnce(rows, file))
  return {
    plan,
    evaluate: async (rows: readonly FileRow[]) =>
      told((await s.contacts.evaluateImportRows(caller, { plan, rows: rowsOf(rows) })).outcomes),
    /** Both passes, in their order. */
    apply: async (rows: readonly FileRow[]) => told([...(await suppress(rows)), ...(await apply(rows))]),
    /** Both passes, the parts of each in parallel. */
    async applyParts(parts: readonly (readonly FileRow[])[], file: readonly FileRow[]) {
      const refusals = await Promise.all(parts.map((rows) => suppress(rows, file)))
      const others = await Promise.all(parts.map((rows) => apply(rows, file)))
      return [...refusals, ...others].map(told)
    },
    suppressOnly: async (rows: readonly FileRow[]) => told(await suppress(rows)),
    applyOnly: async (rows: readonly FileRow[]) => told(await apply(rows)),
    /** One pass in one call, which fails if it is refused. */
    suppressOnce: async (rows: readonly FileRow[]) => told(await suppressOnce(rows)),
    applyOnce: async (rows: readonly FileRow[]) => told(await applyOnce(rows)),
    count: (firstRow = 1, lastRow = 10_000) =>
      s.contacts.countImportRows(caller, { importId: plan.importId, applyNumber, audienceId, firstRow, lastRow }),
  }
}

/** The number of rows of every table of the service that an import may change, and the newest content of contacts and memberships. */
export const contentOf = async ({ stage }: ContactsStage): Promise<string[]> => {
  const tables = await stage.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'contacts' and table_type = 'BASE TABLE' order by 1",
  )
  const moving = new Set([
    'relay_state',
    'outbox_pending',
    'outbox_published',
    'unsealed_consent_batches',
    'consent_seals',
    'consent_record_checks',
  ])
  const contents: string[] = []
  for (const { name } of tables.filter((table) => !moving.has(table.name))) {
    const [found] = await stage.query<{ hash: string }>(
      `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as hash from contacts.${name} t`,
    )
    contents.push(`${name} ${found!.hash}`)
  }
  return contents
}
