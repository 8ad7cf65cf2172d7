import type { DetailedCampaign, TargetedCampaignDraftVersionRequest } from '@lettergate/client/console'
import { Alert, Button, Group, MultiSelect, Select, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useParams } from 'wouter'
import { ConditionsList } from '../../parts/conditions-list.tsx'
import { PageLink } from '../../parts/link.tsx'
import { ReadNotices, whileUnread } from '../../parts/read-notices.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { refusedFields } from '../../parts/refused-fields.ts'
import { Section } from '../../parts/section.tsx'
import { counted } from '../../parts/words.ts'
import { useUnsaved } from '../../parts/use-unsaved.ts'
import { SaveRefused } from '../../session/save-refused.tsx'
import { useAnswer, useChange } from '../../session/use-answer.ts'
import { useAudiences, useSenders, useTags } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ContentPicker } from '../../dialogs/content-picker.tsx'
import { inputOf, requestOf, type DraftForm } from './draft-input.ts'
import { DraftStepper } from './draft-stepper.tsx'
import { draftStepsOf, type DraftStep } from './draft-steps.ts'
import { atMostInWords } from './at-most.ts'
import { unknownInWords, unknownTags } from './unknown-tags.ts'

/** A new campaign, or a new version of a draft. */
export default function DraftEditorPage() {
  const { id } = useParams<{ id?: string }>()
  const { name, console } = useWorkspace()
  // Each opening reads anew, and a version that is saved elsewhere does not replace what was typed.
  const [openedAt, openAt] = useState(() => Date.now())
  const answer = useAnswer(
    [name, 'draft-editor', id, openedAt],
    (options) => console.getCampaign({ campaign_id: id ?? '' }, options),
    { enabled: id !== undefined },
  )
  return (
    <Page
      title={id === undefined ? 'New campaign' : 'Edit the campaign'}
      about="Saving stores a version and sends nothing. Earlier versions stay."
    >
      {id === undefined ? (
        <Editor />
      ) : (
        <Loaded answer={answer}>
          {({ campaign }) =>
            campaign.status === 'draft' ? (
              <Editor campaign={campaign} onReload={() => openAt(Date.now())} />
            ) : (
              <Empty
                title="This campaign is no draft any more"
                action={<PageLink to={`/campaigns/${campaign.id}`}>See the campaign</PageLink>}
              >
                What was scheduled or sent stays as it is. For a similar one, create a new campaign.
              </Empty>
            )
          }
        </Loaded>
      )}
    </Page>
  )
}

function Editor({ campaign, onReload = () => {} }: { campaign?: DetailedCampaign; onReload?: () => void }) {
  const { name, console, may } = useWorkspace()
  const [input, setInput] = useState(() => inputOf(campaign?.draft))
  const set = (changed: Partial<DraftForm>) => setInput((before) => ({ ...before, ...changed }))
  const [first] = useState(input)
  // What is typed began with this version, also when another one is read later.
  const [begunWith] = useState(campaign?.current_version)
  const { leave } = useUnsaved(input !== first)
  const save = useChange(
    (body: TargetedCampaignDraftVersionRequest) =>
      campaign
        ? console.createTargetedCampaignDraftVersion({ campaign_id: campaign.id, body })
        : console.createTargetedCampaignDraft({ body }),
    leave,
    { done: 'Draft saved', notDone: 'Draft not saved', goesTo: (saved) => `/campaigns/${saved.campaign.id}` },
  )
  const problemOf = (field: 'name' | 'notes') =>
    (save.variables?.[field] ?? '') === input[field] && refusedFields(save.error).get(field)
  const nameInput = useRef<HTMLInputElement>(null)
  const notesInput = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const refused = refusedFields(save.error)
    if (refused.has('name')) nameInput.current?.focus()
    else if (refused.has('notes')) notesInput.current?.focus()
  }, [save.error])
  const audiences = useAudiences().data?.audiences
  const tags = useTags().data?.tags
  const senders = useSenders().data?.sender_identities
  // The picker of the content reads it too, and says if that failed.
  const content = useAnswer(
    [name, 'content', input.content_version_id],
    (options) => console.getContentVersion({ content_version_id: input.content_version_id }, options),
    { enabled: input.content_version_id !== '' },
  )
  const steps = draftStepsOf({
    name: input.name,
    audiences: input.audience_ids.length === 0 ? [] : audiences?.filter(({ id }) => input.audience_ids.includes(id)),
    unknownTags: unknownTags(requestOf(input).tag_filter, tags),
    sender:
      input.sender_identity_id === ''
        ? null
        : senders && (senders.find(({ id }) => id === input.sender_identity_id) ?? null),
    content:
      input.content_version_id === ''
        ? 'missing'
        : content.data?.content_version.validation.tokens.includes('confirmation_url')
          ? 'for_confirmations'
          : 'chosen',
    isSaved: campaign !== undefined && input === first,
  })
  const saveAfter = (version: number | undefined) =>
    save.mutate({ ...requestOf(input), ...(version !== undefined && { expected_version: version }) })
  const isFilled = [input.name, input.audience_ids, input.sender_identity_id, input.content_version_id].every(
    (value) => value.length > 0,
  )
  if (!may('edit_content'))
    return <Alert color="gray">Your role cannot edit campaigns. Ask an editor, a brand admin or an owner.</Alert>
  return (
    <form
      inert={save.isPending} // what is typed now would be lost
      onSubmit={(event) => {
        event.preventDefault()
        saveAfter(begunWith)
      }}
    >
      <Stack>
        <DraftStepper steps={steps} />
        <Recipients input={input} set={set} />
        <Section title="Sender" id="draft-sender">
          <SenderSelect value={input.sender_identity_id} onChange={(id) => set({ sender_identity_id: id })} />
        </Section>
        <Section title="Content" id="draft-content">
          <TextInput
            label="Name"
            description="Only you see it."
            withAsterisk
            ref={nameInput}
            error={problemOf('name')}
            value={input.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <ContentPicker
            label="Version of the content"
            value={input.content_version_id}
            onChange={(content_version_id) => set({ content_version_id })}
          />
          <Textarea
            label="Notes"
            description="For your colleagues."
            autosize
            ref={notesInput}
            error={problemOf('notes')}
            value={input.notes}
            onChange={(event) => set({ notes: event.currentTarget.value })}
          />
        </Section>
        <Section title="Check" id="draft-check">
          <ConditionsList label="Check of the draft" conditions={steps.slice(0, 3).map(conditionOf)} />
        </Section>
        <Section
          title="Schedule"
          id="draft-schedule"
          about="A saved draft sends nothing. The page of the campaign then shows the email as readers see it, checks eleven conditions, and schedules."
        >
          <SaveRefused
            of={[name, 'campaign', campaign?.id]}
            save={save}
            read={(options) => console.getCampaign({ campaign_id: campaign?.id ?? '' }, options)}
            savedOf={({ campaign: { id, draft } }) => ({ ...draft, by: draft.created_by, page: `/campaigns/${id}` })}
            onReload={onReload}
            onOverwrite={saveAfter}
          />
          <Group>
            <Button type="submit" disabled={!isFilled} loading={save.isPending}>
              {campaign ? 'Save a new version' : 'Save the draft'}
            </Button>
            {!isFilled && (
              <Text size="sm" c="dimmed">
                A draft needs a name, content, a sender and an audience.
              </Text>
            )}
          </Group>
        </Section>
      </Stack>
    </form>
  )
}

const conditionOf = ({ title, isDone, words }: DraftStep) => ({ title, holds: isDone, evidence: words })

/** What is chosen, before its name is read. */
const unreadChoices = (chosen: readonly string[]) => chosen.map((value) => ({ value, label: '…' }))

function SenderSelect({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const answer = useSenders()
  const senders = answer.data?.sender_identities
  return (
    <>
      <ReadNotices of={[answer]} />
      {senders?.length === 0 && (
        <Text size="sm">
          There is no sender yet. <PageLink to="/sending">Set up sending first.</PageLink>
        </Text>
      )}
      <Select
        label="Sender"
        withAsterisk
        searchable={(senders?.length ?? 0) > 8}
        data={
          senders?.map((sender) => ({
            value: sender.id,
            label: `${sender.display_name} <${sender.from_address}>${sender.is_enabled ? '' : ' (not enabled)'}`,
          })) ?? unreadChoices(value === '' ? [] : [value])
        }
        value={value || null}
        onChange={(next) => onChange(next ?? '')}
        {...whileUnread(answer)}
      />
    </>
  )
}

function Recipients({ input, set }: { input: DraftForm; set: (changed: Partial<DraftForm>) => void }) {
  const audiences = useAudiences()
  const tags = useTags()
  const names = tags.data?.tags.map((tag) => tag.name) ?? []
  const chosen = (audiences.data?.audiences ?? []).filter(({ id }) => input.audience_ids.includes(id))
  const filterBy = (kind: 'any' | 'all' | 'none', label: string) => {
    const unknown = unknownTags({ [kind]: input[kind] }, tags.data?.tags)
    return (
      <TagsInput
        label={label}
        data={names}
        value={input[kind]}
        onChange={(changed) => set({ [kind]: changed })}
        error={unknown.length > 0 && `${unknownInWords(unknown)}. The campaign cannot be scheduled with it.`}
      />
    )
  }
  return (
    <Section
      title="Audience"
      id="draft-audience"
      about="Somebody in several audiences gets the email once. Who may not be mailed is left out, with the reason."
    >
      <ReadNotices of={[audiences, tags]} />
      <MultiSelect
        label="Audiences"
        withAsterisk
        searchable
        data={
          audiences.data?.audiences
            .filter((audience) => !audience.is_archived || input.audience_ids.includes(audience.id))
            .map((audience) => ({
              value: audience.id,
              label: `${audience.name} (${counted(audience.active_member_count, 'member')})`,
            })) ?? unreadChoices(input.audience_ids)
        }
        value={input.audience_ids}
        onChange={(audience_ids) => set({ audience_ids })}
        {...whileUnread(audiences)}
      />
      {filterBy('any', 'With any of these tags')}
      {filterBy('all', 'With all of these tags')}
      {filterBy('none', 'With none of these tags')}
      {chosen.length > 0 && (
        <Text size="sm" role="status">
          {atMostInWords(chosen, input.any.length + input.all.length + input.none.length > 0)}
        </Text>
      )}
    </Section>
  )
}
