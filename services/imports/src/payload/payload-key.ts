import { Fault } from '@lettergate/fault'
import { open, seal, type SealingKeys } from '@lettergate/sealing'
import type { PayloadOwner } from './import-chunk.entity.ts'

const boundTo = ({ workspace_id: workspaceId, id }: PayloadOwner) => `import_payload ${workspaceId} ${id}`

/** Throws Fault `failed_precondition` if the installation has no key, before anything of a file is stored. */
export function requirePayloadKeys(keys: SealingKeys): void {
  if (keys.size > 0) return
  throw new Fault(
    'failed_precondition',
    'import_keys',
    'Files cannot be stored yet: the operator of this installation must set IMPORT_KEYS.',
  )
}

/** Encrypts the data key of an import for its row. */
export const sealPayloadKey = (keys: SealingKeys, owner: PayloadOwner, key: Buffer): string =>
  seal(keys, boundTo(owner), key)

/** Throws Fault `payload_unreadable` if the key was destroyed, or sealed with a key that is not configured any more. */
export function openPayloadKey(keys: SealingKeys, owner: PayloadOwner, sealed: string | null): Buffer {
  const key = sealed === null ? undefined : open(keys, boundTo(owner), sealed)
  if (key) return key
  throw payloadUnreadable()
}

/** The stored file cannot be decrypted. It cannot be repaired, so the file must be uploaded again. */
export const payloadUnreadable = (cause?: unknown): Fault =>
  new Fault(
    'failed_precondition',
    'payload_unreadable',
    'The stored file cannot be read any more. Cancel this import and upload the file again.',
    cause === undefined ? {} : { cause },
  )
