import type { ServiceSchema } from '@lettergate/database/migrate'
import { ContactsAndConsent } from './migrations/001-contacts-and-consent.ts'

export const schema: ServiceSchema = {
  service: 'contacts-consent',
  schema: 'contacts',
  role: 'contacts',
  migrations: [{ name: '001-contacts-and-consent', class: ContactsAndConsent }],
}
