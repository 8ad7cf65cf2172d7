import { Alert, Button, Text } from '@mantine/core'
import { useRouter } from 'wouter'

/** Says in the form of one user that another one mapped the file meanwhile, before the form replaces that mapping. */
export function MappedMeanwhile({ id, onTake }: { id: string; onTake: () => void }) {
  const { base } = useRouter()
  return (
    <Alert color="orange" role="alert" title="Somebody mapped this file in the meantime">
      <Text size="sm">
        What you typed is still here.{' '}
        <a className="link mantine-focus-auto" href={`${base}/imports/${id}`} target="_blank">
          Look at the new mapping in a new tab
        </a>
        . Then replace it by “Start the dry run”, or take it here and lose what you typed.
      </Text>
      <Button mt="sm" size="compact-sm" variant="default" onClick={onTake}>
        Take the new mapping
      </Button>
    </Alert>
  )
}
