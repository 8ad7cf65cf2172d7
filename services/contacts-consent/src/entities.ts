import { AudienceMemberCounts } from './audiences/audience-member-count.entity.ts'
import { Audiences } from './audiences/audience.entity.ts'
import { Memberships } from './audiences/membership.entity.ts'
import { ConsentEvents } from './consent-record/consent-event.entity.ts'
import { ConsentEvidence } from './consent-record/consent-evidence.entity.ts'
import { ConsentRecordChecks } from './consent-record/consent-record-check.entity.ts'
import { ConsentSeals, UnsealedConsentEvents } from './consent-record/consent-seal.entity.ts'
import { EvidenceErasures } from './consent-record/evidence-erasure.entity.ts'
import { ContactProvenance } from './contacts/contact-provenance.entity.ts'
import { ContactSources } from './contacts/contact-source.entity.ts'
import { Contacts } from './contacts/contact.entity.ts'
import { FieldDefinitions } from './custom-fields/field-definition.entity.ts'
import { ErasureHashKeys } from './erasure/erasure-hash-key.entity.ts'
import { ErasureParts, Erasures } from './erasure/erasure.entity.ts'
import { ContactWords } from './search/contact-word.entity.ts'
import { SourceCredentials } from './sources/source-credential.entity.ts'
import { SourceReceipts } from './sources/source-receipt.entity.ts'
import { SubscriptionSources } from './sources/subscription-source.entity.ts'
import { PlatformSuppressions } from './suppressions/platform-suppression.entity.ts'
import { Suppressions } from './suppressions/suppression.entity.ts'
import { ContactTags } from './tags/contact-tag.entity.ts'
import { MergedTags } from './tags/merged-tag.entity.ts'
import { TagCounts } from './tags/tag-count.entity.ts'
import { Tags } from './tags/tag.entity.ts'
import { Workspaces } from './workspaces/workspace.entity.ts'

/** One entity for each table of the schema. */
export const entities = [
  Workspaces,
  Contacts,
  ContactWords,
  ContactSources,
  ContactProvenance,
  FieldDefinitions,
  Tags,
  TagCounts,
  MergedTags,
  ContactTags,
  Audiences,
  AudienceMemberCounts,
  Memberships,
  ConsentEvents,
  ConsentEvidence,
  EvidenceErasures,
  UnsealedConsentEvents,
  ConsentSeals,
  ConsentRecordChecks,
  Suppressions,
  PlatformSuppressions,
  SubscriptionSources,
  SourceCredentials,
  SourceReceipts,
  Erasures,
  ErasureParts,
  ErasureHashKeys,
]
