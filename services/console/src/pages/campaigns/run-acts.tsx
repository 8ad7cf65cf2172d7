import type { CampaignRun } from '@lettergate/client'
import { ActButton } from '../../dialogs/act-button.tsx'
import { useWorkspace } from '../../session/workspace.tsx'

/** What can be done to a run in its state. */
export function RunActs({ run }: { run: CampaignRun }) {
  const { api, may } = useWorkspace()
  const { id, state } = run
  const mayControl = may('pause_delivery')
  return (
    <>
      {mayControl && (state === 'sending' || state === 'scheduled') && (
        <ActButton
          label="Pause"
          title="Pause the run?"
          act="Pause it"
          consequences={[
            'Nothing more is handed off. What the provider already has is still delivered.',
            'It stays paused until somebody resumes it, also past its planned time.',
          ]}
          run={() => api.controlCampaignRun({ run_id: id, action: 'pause' })}
        />
      )}
      {mayControl && state === 'paused' && (
        <ActButton
          label="Resume"
          title="Resume the run?"
          act="Resume it"
          consequences={[
            'An overdue run sends at once. Otherwise it waits for its planned time.',
            'Everybody is checked again before the hand-off.',
          ]}
          run={() => api.controlCampaignRun({ run_id: id, action: 'resume' })}
          button={{ variant: 'filled' }}
        />
      )}
      {may('schedule_campaign') && state === 'scheduled' && !run.resends_run_id && (
        <ActButton
          label="Unschedule"
          title="Unschedule the run?"
          act="Unschedule it"
          consequences={[
            'Nothing is sent, and the campaign is a draft again.',
            'This run is over. Schedule a new one.',
          ]}
          run={() => api.unscheduleCampaignRun({ run_id: id })}
        />
      )}
      {mayControl && ['sending', 'scheduled', 'paused'].includes(state) && (
        <ActButton
          label="Cancel"
          title="Cancel the run for good?"
          act="Cancel the run"
          isDangerous
          consequences={[
            'Nobody who is still waiting gets the email. This cannot be undone.',
            'What the provider already has is still delivered.',
          ]}
          run={() => api.controlCampaignRun({ run_id: id, action: 'cancel' })}
        />
      )}
    </>
  )
}
