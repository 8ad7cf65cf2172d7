import type { ServiceSchema } from '@lettergate/database/migrate'
import { ContactsAndConsent } from './migrations/001-contacts-and-consent.ts'
import { ConsentSeals } from './migrations/002-consent-seals.ts'
import { SubscriptionSources } from './migrations/003-subscription-sources.ts'
import { AudienceMemberCounts } from './migrations/004-audience-member-counts.ts'
import { ContactLists } from './migrations/005-contact-lists.ts'
import { WorkspaceLimits } from './migrations/006-workspace-limits.ts'
import { TenantAskedOnce } from './migrations/007-tenant-asked-once.ts'

export const schema: ServiceSchema = {
  service: 'contacts-consent',
  schema: 'contacts',
  role: 'contacts',
  migrations: [
    { name: '001-contacts-and-consent', class: ContactsAndConsent },
    { name: '002-consent-seals', class: ConsentSeals },
    { name: '003-subscription-sources', class: SubscriptionSources },
    { name: '004-audience-member-counts', class: AudienceMemberCounts },
    { name: '005-contact-lists', class: ContactLists },
    { name: '006-workspace-limits', class: WorkspaceLimits },
    { name: '007-tenant-asked-once', class: TenantAskedOnce },
  ],
}
