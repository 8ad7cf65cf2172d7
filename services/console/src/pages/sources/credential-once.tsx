import type { Source } from '@lettergate/client/console'
import { ShownOnce } from '../../session/shown-once.tsx'

/** The only showing of the credential of a source. */
export const CredentialOnce = ({
  source,
  credential,
  onClose,
}: {
  source: Source
  credential: string
  onClose: () => void
}) => (
  <ShownOnce
    title={`The credential of ${source.display_name}: copy it now`}
    about="It is shown only this time. Only its hash is stored. If it is lost, rotate it."
    value={credential}
    of="the credential"
    onClose={onClose}
  />
)
