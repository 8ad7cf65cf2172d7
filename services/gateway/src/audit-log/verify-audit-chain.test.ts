import { expect, test } from '@jest/globals'
import { sealSha256 } from '@lettergate/canonical-json'
import { beginning, chainFormat, sealEntries } from './audit-chain.ts'
import { verifyAuditChain } from './verify-audit-chain.ts'

const entries = Array.from({ length: 5 }, (_, n) => ({
  id: `e${n + 1}`,
  action: 'tag_registered',
  actor: 'ada',
  trace_id: null,
}))
const seals = sealEntries(beginning, '2026-11-24T10:00:00+00:00', entries)

type Line = Record<string, unknown>
const whole = (): Line[] => [
  { format: chainFormat, after: 0 },
  ...seals.map((seal, n) => ({ seal: { ...seal }, entry: { ...entries[n]! } })),
  { head: { position: 5, sha256: seals[4]!.sha256 } },
]

async function* linesOf(lines: readonly (Line | string)[]) {
  for (const line of lines) yield await Promise.resolve(typeof line === 'string' ? line : JSON.stringify(line))
}
const verify = (lines: readonly (Line | string)[], named?: string) => verifyAuditChain(linesOf(lines), named)

test('an unchanged file is intact, and contains each of its seals', async () => {
  expect(await verify(whole())).toMatchObject({ findings: [], entries: 5, first: 1, isWhole: true })
  for (const { sha256 } of seals) expect((await verify(whole(), sha256)).findings).toEqual([])
  expect((await verify(whole(), 'f'.repeat(64))).findings).toEqual(['No seal in the file has the hash that you named.'])
})

test('a file that continues an earlier one is intact, and says so', async () => {
  const later = whole().toSpliced(0, 3, { format: chainFormat, after: 2 })
  expect(await verify(later)).toMatchObject({ findings: [], entries: 3, first: 3, isWhole: false })
})

test('a log without entries is intact', async () =>
  expect((await verify([{ format: chainFormat, after: 0 }, { head: { position: 0, sha256: null } }])).findings).toEqual(
    [],
  ))

const entryAt = (lines: Line[], position: number) => lines[position]!['entry'] as Line
const sealAt = (lines: Line[], position: number) => lines[position]!['seal'] as Line

const tampered: [string, (lines: Line[]) => (Line | string)[], RegExp][] = [
  [
    'a changed entry',
    (lines) => ((entryAt(lines, 2)['actor'] = 'eve'), lines),
    /Position 2 .*changed after it was sealed/,
  ],
  ['a changed kind of actor', (lines) => ((entryAt(lines, 2)['actor_kind'] = 'agent'), lines), /Position 2 .*changed/],
  ['a removed entry', (lines) => lines.toSpliced(3, 1), /Position 4 .*missing/],
  ['a removed entry whose seal is kept', (lines) => ((lines[3]!['entry'] = null), lines), /Position 3 .*was removed/],
  ['a removed first entry', (lines) => lines.toSpliced(1, 1), /Position 2 .*missing/],
  ['removed last entries', (lines) => lines.toSpliced(4, 2), /ends at position 3/],
  ['removed last entries with their head', (lines) => lines.toSpliced(4), /last line is missing/],
  ['two exchanged lines', (lines) => lines.toSpliced(2, 2, lines[3]!, lines[2]!), /Position 3 .*out of order/],
  ['exchanged entries', (lines) => ((lines[2]!['entry'] = entries[3]), lines), /Position 2 .*seal of another entry/],
  ['a repeated line', (lines) => lines.toSpliced(3, 0, lines[2]!), /Position 2 .*out of order/],
  [
    'a changed seal',
    (lines) => ((sealAt(lines, 2)['sealed_at'] = '2020-01-01'), lines),
    /Position 2 .*seal was changed/,
  ],
  ['an entry that was sealed anew', (lines) => resealed(lines), /Position 4 .*link to the seal before is broken/],
  ['a line after the head', (lines) => [...lines, lines[1]!], /after the head/],
  ['a line that is no JSON', (lines) => [...lines.slice(0, 2), '{', ...lines.slice(3)], /Line 3 is not an entry/],
  ['another file', () => ['{}'], /not an exported audit log/],
  ['an empty file', () => [], /last line is missing/],
]

function resealed(lines: Line[]): Line[] {
  const entry = { ...entries[2]!, actor: 'eve' }
  const [seal] = sealEntries({ position: 2, sha256: seals[1]!.sha256 }, '2026-11-24T10:00:00+00:00', [entry])
  expect(sealSha256(seal!)).toBe(seal!.sha256)
  return lines.toSpliced(3, 1, { seal: { ...seal }, entry })
}

test.each(tampered)('%s is found', async (_, change, finding) => {
  const { findings } = await verify(change(whole()))
  expect(findings.join('\n')).toMatch(finding)
})
