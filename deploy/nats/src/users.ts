import { servicePermissions, streamKeeperPermissions, type BrokerUser } from '@lettergate/events/broker-users'
import type { ConfiguredUser } from '@lettergate/events/broker-users'
import { streamNames } from '@lettergate/events/streams'

const consumer = (service: string, name: string, filter: string) => ({
  stream: 'EVENTS',
  name: `${service}__${name}`,
  filter,
})

/** What each service publishes and reads. A guard test compares it with the code of the services. */
export const services: Record<string, BrokerUser> = {
  automations: {
    publishes: ['wake.automations'],
    subscribes: ['events.gateway.gate_changed', 'wake.automations'],
    consumes: [
      consumer('automations', 'on-audience-subscribed', 'events.contacts-consent.audience_subscribed'),
      consumer('automations', 'on-contact-deleted', 'events.contacts-consent.contact_deleted'),
      consumer('automations', 'on-contact-erased', 'events.contacts-consent.contact_erased'),
      consumer('automations', 'on-tag-added', 'events.contacts-consent.tag_added'),
      consumer('automations', 'on-tag-removed', 'events.contacts-consent.tag_removed'),
    ],
  },
  'campaigns-delivery': {
    publishes: ['delivery.batch', 'wake.campaigns-delivery'],
    subscribes: [
      'events.gateway.gate_changed',
      'events.gateway.workspace_changed',
      'events.sending-infra.sender_changed',
      'events.sending-infra.domain_checked',
      'wake.campaigns-delivery',
    ],
    consumes: [
      { stream: 'DELIVERY', name: 'campaigns-delivery__deliver', filter: 'delivery.batch' },
      consumer('campaigns-delivery', 'on-consent-granted', 'events.contacts-consent.consent_granted'),
      consumer('campaigns-delivery', 'on-consent-withdrawn', 'events.contacts-consent.consent_withdrawn'),
      consumer('campaigns-delivery', 'on-contact-erased', 'events.contacts-consent.contact_erased'),
      consumer('campaigns-delivery', 'on-provider-event-received', 'events.webhook-intake.provider_event_received'),
      consumer(
        'campaigns-delivery',
        'on-signup-confirmation-requested',
        'events.contacts-consent.signup_confirmation_requested',
      ),
      consumer('campaigns-delivery', 'on-suppression-added', 'events.contacts-consent.suppression_added'),
      consumer('campaigns-delivery', 'on-webhook-tallied', 'events.webhook-intake.webhook_tallied'),
    ],
  },
  'contacts-consent': {
    consumes: [
      consumer('contacts-consent', 'on-message-accepted', 'events.campaigns-delivery.message_accepted'),
      consumer('contacts-consent', 'on-message-settled', 'events.campaigns-delivery.message_settled'),
      consumer('contacts-consent', 'on-personal-data-erased', 'events.*.personal_data_erased'),
      consumer('contacts-consent', 'on-workspace-changed', 'events.gateway.workspace_changed'),
    ],
  },
  gateway: {
    consumes: [
      consumer('gateway', 'on-alert-raised', 'events.*.alert_raised'),
      consumer('gateway', 'on-audit-recorded', 'events.*.audit_recorded'),
    ],
  },
  imports: { publishes: ['wake.imports'], subscribes: ['wake.imports'] },
  'sending-infra': {},
  'webhook-intake': {
    consumes: [consumer('webhook-intake', 'on-messages-erased', 'events.campaigns-delivery.messages_erased')],
  },
}

/** The process that creates the streams; see main.ts. */
export const streamKeeper = 'nats-streams'

/** Every user of the broker. */
export const userNames: readonly string[] = [...Object.keys(services), streamKeeper]

/** Every user with its permissions in this namespace; `keyOf` returns its public key. */
export const configuredUsers = (keyOf: (name: string) => string, namespace = ''): ConfiguredUser[] =>
  userNames.map((name) => ({
    key: keyOf(name),
    permissions:
      name === streamKeeper
        ? streamKeeperPermissions(name, streamNames, namespace)
        : servicePermissions(name, services[name]!, namespace),
  }))

/** NATS_NKEY_CONTACTS_CONSENT: the server's variable with a user's public key. */
export const keyVariable = (name: string): string => `NATS_NKEY_${name.toUpperCase().replaceAll('-', '_')}`
