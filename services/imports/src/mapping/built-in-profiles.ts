import type { ImportPolicy } from './import-policy.ts'
import type { Mapping } from './import-mapping.ts'

/** A mapping for the files of one program, with the policy that belongs to it. */
export interface Profile {
  readonly id: string
  readonly name: string
  readonly mapping: Mapping
  readonly policy: ImportPolicy
}

const id = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`

/**
 * Columns of the audience exports of Mailchimp: a ZIP archive with one CSV file for each state of a contact. Mailchimp publishes no list
 * of them; these are the ones that the importers of several programs read. Merge fields that an audience defines itself are left out. CONFIRM_TIME is the time of the confirmed opt-in.
 */
const mailchimp: Mapping = {
  'Email Address': 'email',
  'First Name': 'first_name',
  'Last Name': 'last_name',
  'Phone Number': 'phone',
  CONFIRM_TIME: 'captured_at',
  TAGS: 'tags',
}

/** Profiles that every workspace has. No profile gives consent that its file does not show. */
export const builtInProfiles: readonly Profile[] = [
  {
    id: id(1),
    name: 'Lettergate contacts',
    // The names of the API, for files that somebody writes for this service.
    mapping: {
      email: 'email',
      first_name: 'first_name',
      last_name: 'last_name',
      company: 'company',
      country_code: 'country_code',
      locale: 'locale',
      timezone: 'timezone',
      phone: 'phone',
      tags: 'tags',
      status: 'status',
      captured_at: 'captured_at',
    },
    policy: { default_status: 'pending' },
  },
  { id: id(2), name: 'Mailchimp, subscribed', mapping: mailchimp, policy: { default_status: 'subscribed' } },
  { id: id(3), name: 'Mailchimp, unsubscribed', mapping: mailchimp, policy: { default_status: 'unsubscribed' } },
  // Mailchimp cleans addresses that bounce.
  { id: id(4), name: 'Mailchimp, cleaned', mapping: mailchimp, policy: { default_status: 'suppressed' } },
  { id: id(5), name: 'Mailchimp, non-subscribed', mapping: mailchimp, policy: { default_status: 'pending' } },
  {
    id: id(6),
    name: 'listmonk subscribers',
    // Columns: https://github.com/knadh/listmonk, cmd/subscribers.go: uuid, email, name, attributes, status, created_at, updated_at.
    // An enabled subscriber may have left every list: the export does not say so (https://github.com/knadh/listmonk/issues/738).
    mapping: { email: 'email', name: 'first_name', status: 'status' },
    policy: {
      default_status: 'pending',
      status_values: { enabled: 'pending', disabled: 'unsubscribed', blocklisted: 'suppressed' },
    },
  },
  {
    id: id(7),
    name: 'Ghost members',
    // Columns: https://github.com/TryGhost/Ghost, ghost/members-csv/lib/unparse.js: id, email, name, note, subscribed_to_emails,
    // complimentary_plan, stripe_customer_id, created_at, deleted_at, labels, tiers.
    mapping: { email: 'email', name: 'first_name', subscribed_to_emails: 'status' },
    policy: { default_status: 'pending', status_values: { true: 'subscribed', false: 'unsubscribed' } },
  },
  {
    id: id(8),
    name: 'Brevo contacts',
    // Columns: https://developers.brevo.com/reference/request-contact-export (EMAIL, ADDED_TIME, MODIFIED_TIME) and
    // https://help.brevo.com/hc/en-us/articles/208729849 (FIRSTNAME, LASTNAME, SMS). The filter of the export, not a column, says who
    // is subscribed.
    mapping: { EMAIL: 'email', FIRSTNAME: 'first_name', LASTNAME: 'last_name', SMS: 'phone' },
    policy: { default_status: 'pending' },
  },
]
