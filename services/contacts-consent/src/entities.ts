import { AudienceMemberCount } from './audiences/audience-member-count.entity.ts'
import { AudienceMemberDay } from './audiences/audience-member-day.entity.ts'
import { Audience } from './audiences/audience.entity.ts'
import { Membership } from './audiences/membership.entity.ts'
import { ConsentEvent } from './consent-record/consent-event.entity.ts'
import { ConsentEvidence } from './consent-record/consent-evidence.entity.ts'
import { ConsentRecordCheck } from './consent-record/consent-record-check.entity.ts'
import { ConsentSeal, UnsealedConsentBatch } from './consent-record/consent-seal.entity.ts'
import { EvidenceErasure } from './consent-record/evidence-erasure.entity.ts'
import { AutomationStepReceipt } from './contacts/automation-step-receipt.entity.ts'
import { ContactProvenance } from './contacts/contact-provenance.entity.ts'
import { ContactSource } from './contacts/contact-source.entity.ts'
import { Contact } from './contacts/contact.entity.ts'
import { FieldDefinition } from './custom-fields/field-definition.entity.ts'
import { ErasureHashKey } from './erasure/erasure-hash-key.entity.ts'
import { ErasurePart, Erasure } from './erasure/erasure.entity.ts'
import { ImportRow } from './imports/import-row.entity.ts'
import { StoppedImport } from './imports/stopped-import.entity.ts'
import { SharedDetails } from './shared-details/shared-details.entity.ts'
import { SignupConfirmation } from './confirmations/signup-confirmation.entity.ts'
import { SourceCredential } from './sources/source-credential.entity.ts'
import { SourceReceipt } from './sources/source-receipt.entity.ts'
import { SubscriptionSource } from './sources/subscription-source.entity.ts'
import { PlatformSuppression } from './suppressions/platform-suppression.entity.ts'
import { Suppression } from './suppressions/suppression.entity.ts'
import { ContactTag } from './tags/contact-tag.entity.ts'
import { MergedTag } from './tags/merged-tag.entity.ts'
import { TagCount } from './tags/tag-count.entity.ts'
import { Tag } from './tags/tag.entity.ts'
import { Workspace } from './workspaces/workspace.entity.ts'

/** One entity for each table of the schema. */
export const entities = [
  Workspace,
  Contact,
  ContactSource,
  ContactProvenance,
  SharedDetails,
  FieldDefinition,
  Tag,
  TagCount,
  MergedTag,
  ContactTag,
  Audience,
  AudienceMemberCount,
  AudienceMemberDay,
  Membership,
  ConsentEvent,
  ConsentEvidence,
  EvidenceErasure,
  UnsealedConsentBatch,
  ConsentSeal,
  ConsentRecordCheck,
  Suppression,
  PlatformSuppression,
  SubscriptionSource,
  SourceCredential,
  SourceReceipt,
  SignupConfirmation,
  Erasure,
  ErasurePart,
  ErasureHashKey,
  ImportRow,
  StoppedImport,
  AutomationStepReceipt,
]
