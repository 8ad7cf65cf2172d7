import { Audiences } from './audiences.ts'
import { ConsentEvents } from './consent-events.ts'
import { ContactProvenance } from './contact-provenance.ts'
import { ContactSources } from './contact-sources.ts'
import { Contacts } from './contacts.ts'
import { FieldDefinitions } from './field-definitions.ts'
import { Memberships } from './memberships.ts'
import { PlatformSuppressions } from './platform-suppressions.ts'
import { Suppressions } from './suppressions.ts'
import { Tags } from './tags.ts'
import { Workspaces } from './workspaces.ts'

/** One entity for each table of the schema. */
export const entities = [
  Workspaces,
  Contacts,
  ContactSources,
  ContactProvenance,
  FieldDefinitions,
  Tags,
  Audiences,
  Memberships,
  ConsentEvents,
  Suppressions,
  PlatformSuppressions,
]
