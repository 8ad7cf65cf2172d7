import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import {
  expectedOf,
  histories,
  importStatuses,
  isEligibleAfter,
  live,
  type History,
  type ModelRow,
} from './import-model.ts'
import { contentOf, newImport, type FileRow } from './import-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const policies = ['explicit_opt_in', 'status_column', 'review_required'] as const
const row = (history: fc.Arbitrary<History>): fc.Arbitrary<ModelRow> =>
  fc.record({
    history,
    status: fc.constantFrom(...importStatuses),
    country: fc.constantFrom('SE', '', '', 'Sweden'),
  })
const anyHistory = fc.constantFrom(...(Object.keys(histories) as History[]))

let files = 0

/** Lives the histories of the rows, and writes the file with other spellings of the addresses. */
async function fileOf(rows: readonly ModelRow[]) {
  files += 1
  const audience = await s.audience()
  const other = await s.audience()
  const written: FileRow[] = []
  for (const [index, { history, status, country }] of rows.entries()) {
    const email = `p${index}.f${files}@example.com`
    const importAs = (given: string, consentPolicy = 'explicit_opt_in') =>
      newImport(s, audience, { consentPolicy }).apply([{ email, status: given }])
    await live(s, { email, audience, other }, history, importAs)
    written.push({ email: index % 2 === 0 ? email.toUpperCase() : email, status, country_code: country, tags: 'a;b' })
  }
  return { audience, rows: written }
}

async function reasonsOf(email: string, audience: string): Promise<string[]> {
  const found = await s.contacts.lookupContact(s.us, { email }).catch(() => undefined)
  return found?.contact ? s.reasons(found.contact.id, audience) : ['contact_missing']
}

/** Evaluates and applies a file, and compares both with the model, and the result with what each person may get. */
async function check(policy: string, rows: readonly ModelRow[], isReversed: boolean) {
  const file = await fileOf(rows)
  const own = newImport(s, file.audience, { consentPolicy: policy })
  const expected = rows.map((one) => expectedOf(policy, one))
  const before = await contentOf(s)
  expect(await own.evaluate(file.rows)).toEqual(expected)
  expect(await contentOf(s)).toEqual(before)

  const applied: string[] = []
  const parts = [file.rows.slice(0, rows.length / 2), file.rows.slice(rows.length / 2)]
  if (isReversed) parts.reverse()
  const took = (part: string[]) => part.forEach((text, index) => (applied[index] = text))
  ;(await own.applyParts(parts, file.rows)).forEach(took)
  expect(applied).toEqual(expected)

  for (const [index, one] of rows.entries()) {
    const reasons = await reasonsOf(file.rows[index]!.email, file.audience)
    expect({ ...one, reasons, isEligible: reasons.length === 0 }).toEqual({
      ...one,
      reasons,
      isEligible: isEligibleAfter(policy, one),
    })
  }
  const { effects, outcomes } = await own.count()
  const counted = (outcome: string) => expected.filter((text) => text.startsWith(outcome)).length
  expect(effects).toMatchObject({
    consents: counted('consent_recorded') + expected.filter((text) => text.endsWith(' review_required')).length,
    withdrawals: counted('withdrawn'),
    suppressions: counted('suppressed'),
    contacts: expected.filter((text) => / (new|existing)\b/.test(text)).length,
    broughtBack: 0,
    contactsLost: 0,
  })
  expect(outcomes.reduce((sum, group) => sum + group.rows, 0)).toBe(rows.length)
}

test.each(policies)(
  'every history with every status is evaluated and applied as the model says, under %s',
  async (policy) => {
    const rows = (Object.keys(histories) as History[]).flatMap((history) =>
      importStatuses.map((status): ModelRow => ({ history, status, country: 'SE' })),
    )
    await check(policy, rows, false)
  },
)

test('for random histories and rows, evaluation, apply, ledger and eligibility agree with the model', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...policies),
      fc.array(row(anyHistory), { minLength: 2, maxLength: 20 }),
      fc.boolean(),
      check,
    ),
    { numRuns: 8 },
  )
})
