import type { Source } from '@lettergate/client/console'
import { ActButton } from '../../dialogs/act-button.tsx'
import { MomentBy } from '../../parts/moment.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const useCredential = (source_slug: string) => {
  const { name, console } = useWorkspace()
  return useAnswer([name, 'source-credential', source_slug], (options) =>
    console.getSourceCredential({ source_slug }, options),
  )
}

/** Since when a source has its valid credential, and who issued it. */
export function Credential({ slug }: { slug: string }) {
  const { data, error } = useCredential(slug)
  if (!data) return error ? 'Could not be read' : '…'
  if (!data.credential) return 'None: its sign-ups are accepted only with a wallet grant'
  const { created_at, created_by } = data.credential
  return (
    <>
      Issued <MomentBy at={created_at} by={created_by} />
    </>
  )
}

/** Issues, rotates and revokes the credential. If it is not known whether there is one, it can be rotated and revoked. */
export function CredentialActs({
  source: { slug: source_slug, display_name },
  onCredential,
}: {
  source: Source
  onCredential: (credential: string) => void
}) {
  const { console } = useWorkspace()
  const { data, isPending } = useCredential(source_slug)
  if (isPending) return null
  const rotate = {
    run: () => console.rotateSourceCredential({ source_slug }),
    onDone: ({ credential }: { credential: string }) => onCredential(credential),
  }
  if (data?.credential === null)
    return (
      <ActButton
        label="Issue a credential"
        title={`Issue a credential for ${display_name}?`}
        act="Issue it"
        consequences={[
          'It is shown once. Give it to the server of the form, never to a browser.',
          'Grants of the wallet still work.',
        ]}
        {...rotate}
      />
    )
  return (
    <>
      <ActButton
        label="Rotate the credential"
        title={`Rotate the credential of ${display_name}?`}
        act="Rotate it"
        isDangerous
        consequences={[
          'The old credential stops at once: sign-ups fail until the server of the form has the new one.',
          'The new one is shown once.',
        ]}
        {...rotate}
      />
      <ActButton
        label="Revoke the credential"
        title={`Revoke the credential of ${display_name}?`}
        act="Revoke it"
        isDangerous
        consequences={['Sign-ups with it are refused at once. Grants of the wallet still work.']}
        run={() => console.revokeSourceCredential({ source_slug })}
      />
    </>
  )
}
