import { randomUUID } from 'node:crypto'
import type { Person } from './add-people.ts'
import { eachOf, openApi } from './api.ts'
import type { Scene } from './scene.ts'
import { signUp } from './sign-up.ts'
import type { Row } from './table.ts'

interface Receipt {
  source_event_id: string
  contact_id: string
  status: string
}

const origin = 'https://www.acme.test'
const signUps = 25

/** A form of the website hands people in, under a credential that can do nothing else. Answers who is in now. */
export async function signUpsFromOutside(
  { browser, atConsole, workspace, stack, round, tell }: Scene,
  audienceId: string,
  whoLeft: Person,
): Promise<{ rows: Row[]; people: Person[] }> {
  const slug = `website-${round}`
  const { credential } = await browser.ok<{ credential: string }>('POST', `${atConsole}/subscription-sources`, {
    slug,
    display_name: 'Form of the website',
    allowed_origins: [origin],
    allowed_audience_ids: [audienceId],
  })
  tell(`source ${slug} made at the console; its credential ${credential.slice(0, 8)}… is shown this once`)

  const form = openApi(stack.base_url, { authorization: `Bearer ${credential}` })
  const handIn = (body: object, key: string = randomUUID()) =>
    form.call('POST', `${workspace}/subscription-sources/${slug}/events`, body, { 'idempotency-key': key })
  const events = Array.from({ length: signUps }, (_, index) =>
    signUp(audienceId, `robin.${index + 1}.r${round}@example.com`, origin),
  )
  const taken = new Map<string, unknown>()
  await eachOf(events, 16, async (event) => {
    taken.set(event.source_event_id, (await handIn(event, event.source_event_id)).json['status'])
  })
  const replay = await handIn(events[0]!, events[0]!.source_event_id)
  const foreign = await handIn(signUp(audienceId, 'robin@example.com', 'https://elsewhere.test'))
  const again = await handIn(signUp(audienceId, whoLeft.email, origin))
  const elsewhere = await form.call('GET', `${workspace}/audiences`)
  await form.close()
  tell(`a form on another site is refused: “${foreign.text}”`)
  tell(`who had left is not brought back: ${String(again.json['status'])}, ${String(again.json['reason_class'])}`)

  const { receipts } = await browser.ok<{ receipts: Receipt[] }>(
    'GET',
    `${atConsole}/subscription-sources/${slug}/receipts?limit=200`,
  )
  const contactOf = new Map(receipts.map((receipt) => [receipt.source_event_id, receipt.contact_id]))
  const people = events.map(({ source_event_id: id, contact }): Person => ({
    id: contactOf.get(id)!,
    email: contact.email,
    normalizedEmail: contact.email,
    locale: contact.locale,
    behaviour: 'delivered',
    isLegacy: false,
  }))
  const accepted = [...taken.values()].filter((status) => status === 'accepted').length
  return {
    people,
    rows: [
      { name: 'sign-ups accepted', actual: accepted, expected: signUps },
      { name: 'the same one handed in again', actual: replay.json['status'], expected: 'duplicate' },
      { name: 'from a page of another site', actual: foreign.status, expected: 403 },
      { name: 'of a person who had left', actual: again.json['status'], expected: 'suppressed' },
      { name: 'receipts, one for each that was taken', actual: receipts.length, expected: signUps + 1 },
      { name: 'the credential on another route', actual: elsewhere.status, expected: 401 },
    ],
  }
}
