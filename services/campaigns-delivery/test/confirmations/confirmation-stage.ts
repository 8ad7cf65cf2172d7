import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { createHash, randomUUID } from 'node:crypto'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery } from '../delivery-stage.ts'

export const confirmationHtml =
  '<p>Hello {{ first_name }}, <a href="{{ confirmation_url }}">confirm</a> or <a href="{{ unsubscribe_url }}">leave</a></p>'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** A workspace that may send, with a source whose sign-ups are confirmed by email, and a worker. */
export async function openConfirmations() {
  const rig = await openDelivery()
  const { contacts, campaigns, us, stage } = rig
  await rig.worker({ DELIVERY_HAND_OFF_TIMEOUT_MS: '5000' })
  const audienceId = await rig.audience()
  const { emailTemplate } = await campaigns.createEmailTemplate(us, { name: 'Confirm', slug: 'confirm' })
  const { contentVersion } = await campaigns.createContentVersion(us, {
    templateId: emailTemplate!.id,
    subject: 'Please confirm, {{ first_name }}',
    html: confirmationHtml,
    personalizationDefaults: { first_name: 'friend' },
  })
  const contentVersionId = contentVersion!.id
  const { source, credential } = await contacts.createSubscriptionSourceWithCredential(us, {
    slug: 'site',
    displayName: 'Site',
    allowedOrigins: ['https://acme.test'],
    allowsAllAudiences: true,
  })
  await contacts.setSourceConfirmation(us, { sourceSlug: 'site', senderIdentityId: rig.senderId, contentVersionId })

  const person = (email: string) => ({
    sourceSlug: source!.slug,
    idempotencyKey: randomUUID(),
    presented: { credentialSha256: sha256(credential) },
    payloadSha256: sha256(email),
    schemaVersion: 'service.subscription-source-event.v1',
    sourceEventId: randomUUID(),
    destinationAudienceId: audienceId,
    contact: { email, firstName: 'Ada' },
    consentGranted: true,
    capturedAt: timestampFromDate(new Date(Date.now() - 60_000)),
    consent: {
      wordingId: 'footer',
      wordingSha256: 'a'.repeat(64),
      privacyPolicyUrl: 'https://acme.test/privacy',
      privacyPolicyVersion: '1',
    },
    source: {
      formId: 'footer',
      formVersion: '1',
      pageOrigin: 'https://acme.test',
      evidenceSchemaVersion: 'app.newsletter-consent-capture.v1',
    },
  })
  /** The states of the email to a contact: whether it waits, and each hand-off, oldest first. */
  const emailOf = async (contactId: string) => {
    const [email] = await stage.query<{ id: string; is_waiting: boolean; is_held: boolean }>(
      `select id, is_waiting, due_at > now() + interval '5 seconds' as is_held
         from campaigns.confirmation_emails where contact_id = $1`,
      [contactId],
    )
    if (!email) return undefined
    const handOffs = await stage.query<{ state: string; reason: string | null }>(
      'select state, reason from campaigns.hand_offs where origin_id = $1 order by claimed_at',
      [email.id],
    )
    const ends = await stage.query<{ fact: string; reasons: string[] }>(
      `select fact, reasons from campaigns.message_facts where message_id = $1 and fact in ('skipped', 'failed')`,
      [email.id],
    )
    return { ...email, handOffs, ends }
  }
  type Email = NonNullable<Awaited<ReturnType<typeof emailOf>>>

  return {
    ...rig,
    audienceId,
    contentVersionId,
    emailOf,
    /** Signs a new address up. The local part may name a behaviour of the provider. */
    async signUp(behaviour = 'silent') {
      const address = `p.${newId()}+${behaviour}@example.org`
      await contacts.ingestSubscriptionEvent(us, person(address))
      const { contact } = await contacts.lookupContact(us, { email: address })
      return { address, contactId: contact!.id }
    },
    /** Waits until the email to this contact is as described. Emails that wait are tried at once. */
    emailIs: (contactId: string, what: string, isSo: (email: Email) => boolean) =>
      until(
        async () => {
          const email = await emailOf(contactId)
          if (email && isSo(email)) return email
          await stage.query('update campaigns.confirmation_emails set due_at = now() where is_waiting')
          return false
        },
        { everyMs: 200, what: `the confirmation email to be ${what}` },
      ),
    messagesTo: async (address: string) => (await rig.messages()).filter(({ to }) => to === address),
    fault: (mode: string) => rig.sim('PUT', '/faults', { mode }),
    endCooldown: () => stage.query('delete from campaigns.connection_holds'),
  }
}

export type ConfirmationStage = Awaited<ReturnType<typeof openConfirmations>>
