import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openContent } from '../content-stage.ts'
import { confirmationHtml } from './confirmation-stage.ts'

let s: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => {
  s = await openContent()
})
afterAll(() => s.close())

const ask = (senderIdentityId: string, contentVersionId: string, caller = s.us) =>
  s.campaigns.requireConfirmationEmail(caller, { senderIdentityId, contentVersionId })

test('a sender and content with a visible link to the confirmation may be used, before the sender is enabled', async () => {
  await ask(await s.sender(), await s.content(s.us, confirmationHtml))
})

test.each([
  '<p>Hi <a href="{{ unsubscribe_url }}">leave</a></p>',
  '<p>Hi <a href="{{ confirmation_url }}"></a></p>',
  '<p>Hi <a href="{{ confirmation_url }}" style="display:none">confirm</a></p>',
  '<p>Hi <a href="https://acme.test/?next={{ confirmation_url }}">confirm</a></p>',
  '<!--[if mso]><p>Hi</p><![endif]--><!--[if !mso]><!--><p>Hi <a href="{{ confirmation_url }}">confirm</a></p><!--<![endif]-->',
])('content without a link that everybody can see is refused: %s', async (html) => {
  const refused = ask(await s.sender(), await s.content(s.us, html))
  await expect(refused).rejects.toMatchObject({ code: 'failed_precondition', reason: 'confirmation_link_missing' })
})

test('what another workspace has, or nobody, is refused by the name of its field', async () => {
  const [sender, content] = [await s.sender(), await s.content(s.us, confirmationHtml)]
  const theirs = await s.content(s.them, confirmationHtml)
  for (const [field, wrong] of [
    ['content_version_id', () => ask(sender, theirs)],
    ['content_version_id', () => ask(sender, newId())],
    ['content_version_id', () => ask(sender, 'x')],
    ['sender_identity_id', () => ask(newId(), content)],
    ['sender_identity_id', () => ask('x', content)],
  ] as const)
    await expect(wrong()).rejects.toMatchObject({ code: 'invalid_argument', reason: field })
})

test('the confirmation link is no field of a person: it needs no default, and a default is not used', async () => {
  const templateId = await s.template()
  const { contentVersion } = await s.campaigns.createContentVersion(s.us, {
    templateId,
    subject: 'Confirm',
    html: confirmationHtml,
    personalizationDefaults: { confirmation_url: 'https://evil.test' },
  })
  expect(contentVersion!.validation).toMatchObject({ tokens: expect.arrayContaining(['confirmation_url']) })
  expect(contentVersion!.validation!.missingDefaults).toEqual(['first_name'])
})

test('a draft with such content is refused, because a campaign has no confirmation link', async () => {
  const draft = s.campaigns.createCampaignDraft(s.us, {
    name: 'Wrong',
    audienceId: await s.audience(),
    senderIdentityId: await s.sender(),
    contentVersionId: await s.content(s.us, confirmationHtml),
  })
  await expect(draft).rejects.toMatchObject({ code: 'failed_precondition', reason: 'content_for_confirmations' })
})
