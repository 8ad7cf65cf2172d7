import type { Stack } from '@lettergate/local/launcher/state'
import type { Person } from './add-people.ts'
import type { Api } from './api.ts'
import { messageTo, type Message } from './inbox.ts'

const header = (message: Message, name: string) =>
  Object.entries(message.headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? ''

/**
 * Two people unsubscribe through the email that they received: one by the button of the mail program (RFC 8058), one by the
 * link in the text and the button on the page. Opening the link must change nothing. Returns the second message, for its trace.
 */
export async function leaveByEmail(
  api: Api,
  workspace: string,
  stack: Pick<Stack, 'provider_url'>,
  who: { audienceId: string; byButton: Person; byLink: Person },
  print: (line: string) => void,
): Promise<Message> {
  const eligible = async (person: Person) =>
    (
      await api.ok<{ eligibility: { eligible: boolean; reasons: string[] } }>(
        'GET',
        `${workspace}/contacts/${person.id}/eligibility/${who.audienceId}`,
      )
    ).eligibility

  const first = await messageTo(stack, who.byButton.normalizedEmail)
  const oneClick = /<([^>]+)>/.exec(header(first, 'list-unsubscribe'))?.[1]
  if (!oneClick || header(first, 'list-unsubscribe-post') !== 'List-Unsubscribe=One-Click')
    throw new Error('the message lacks its RFC 8058 headers')
  const pressed = await fetch(oneClick, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    redirect: 'error',
  })
  if (pressed.status !== 200) throw new Error(`one-click answered ${pressed.status}`)

  const second = await messageTo(stack, who.byLink.normalizedEmail)
  const link = /href="([^"]*\/preferences\/[^"]+)"/.exec(second.html)?.[1]?.replaceAll('&amp;', '&')
  if (!link) throw new Error('the message has no unsubscribe link')
  const page = await fetch(link)
  if (page.status !== 200 || !(await eligible(who.byLink)).eligible)
    throw new Error('opening the preference page must show a page and change nothing')
  const sent = await fetch(link, { method: 'POST', headers: { accept: 'text/html' } })
  if (sent.status !== 200) throw new Error(`the preference page answered ${sent.status}`)

  for (const person of [who.byButton, who.byLink]) {
    const { reasons } = await eligible(person)
    if (reasons.join() !== 'suppressed_audience,consent_withdrawn,not_subscribed')
      throw new Error(`after unsubscribing, eligibility says ${reasons.join()}`)
  }
  print(
    `two people unsubscribed through the email “${second.subject}”: now ${(await eligible(who.byLink)).reasons.join(', ')}`,
  )
  return second
}
