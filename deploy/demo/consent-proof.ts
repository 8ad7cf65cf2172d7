import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Person } from './add-people.ts'
import type { Scene } from './scene.ts'
import type { Row } from './table.ts'
import { root, verifyConsent } from './verify-consent.ts'

interface Proof {
  signature: { fingerprint: string }
  events: { event: Record<string, unknown> }[]
}

/** subscribed, left, handed in by the form while suppressed, resolved, subscribed anew */
const storyExpected = 'granted, withdrawn, granted, resolved, granted'

/** Exports why one person may be mailed as a file, has it checked without the service, and once more with one letter changed. */
export async function proveConsent(
  { browser, atConsole, tell }: Scene,
  person: Person,
  directory: string,
): Promise<Row[]> {
  const answer = await browser.ok<{ proof: Proof }>('GET', `${atConsole}/contacts/${person.id}/consent-proof`)
  const { keys } = await browser.ok<{ keys: { fingerprint: string }[] }>('GET', `${atConsole}/consent-proof-keys`)
  const file = join(directory, 'consent-proof.json')
  writeFileSync(file, `${JSON.stringify(answer, null, 2)}\n`)
  const story = answer.proof.events.map(({ event }) => String(event['kind'])).join(', ')
  tell(`the story of a person who left and came back: ${story}`)

  const kept = await verifyConsent(file, keys[0]!.fingerprint)
  tell(`make verify-consent FILE=${shown(file)}`)
  tell(`  ${sentence(kept.output, 'INTACT')}`)

  const changed = join(directory, 'consent-proof-changed.json')
  // one character: the wording that the person had read
  writeFileSync(
    changed,
    readFileSync(file, 'utf8').replace('"wording_version": "2026-01"', '"wording_version": "2026-02"'),
  )
  const forged = await verifyConsent(changed, keys[0]!.fingerprint)
  tell(`make verify-consent FILE=${shown(changed)}`)
  tell(`  ${sentence(forged.output, 'NOT INTACT')}`)
  for (const line of forged.output.split('\n').filter((part) => part.startsWith('  - '))) tell(line)
  const isTold = /Event 1 \(granted, .* was changed after it was sealed/.test(forged.output)
  return [
    { name: 'events in the proof', actual: answer.proof.events.length, expected: 5 },
    { name: 'in the order in which it happened', actual: story === storyExpected, expected: true },
    { name: 'as exported, it verifies', actual: kept.status, expected: 0 },
    { name: 'one character changed, it does not', actual: forged.status > 0, expected: true },
    { name: 'and the verifier names the event', actual: isTold, expected: true },
  ]
}

/** As somebody in the project's folder would type it. */
const shown = (file: string) => (relative(root, file).startsWith('..') ? file : relative(root, file))

const sentence = (output: string, beginning: string) =>
  output.split('\n').find((line) => line.startsWith(beginning)) ?? output.trim()
