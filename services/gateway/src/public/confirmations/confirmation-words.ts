import type { Language } from '../preferences/preference-words.ts'

/** The sentences of the page that confirms a sign-up. The caller escapes the names that it passes. The sentences need no escaping in HTML. */
export interface ConfirmationWords {
  askHeading: (audience: string) => string
  ask: (workspace: string, audience: string) => string
  /** what to do about a sign-up by somebody else */
  notYou: string
  button: string
  doneHeading: string
  done: (workspace: string, audience: string) => string
  expiredHeading: string
  expired: string
  endedHeading: string
  ended: string
}

const catalogue: Record<Language, ConfirmationWords> = {
  en: {
    askHeading: (audience) => `Subscribe to “${audience}”?`,
    ask: (workspace, audience) =>
      `Somebody entered this address to get emails for “${audience}” from ${workspace}. Press the button to confirm.`,
    notYou: 'If it was not you, close this page. Without the button you get no such emails.',
    button: 'Yes, subscribe me',
    doneHeading: 'Your subscription is confirmed',
    done: (workspace, audience) =>
      `${workspace} now sends you emails for “${audience}”. Every email has a link to unsubscribe.`,
    expiredHeading: 'This confirmation has expired',
    expired: 'It was possible for 7 days. Sign up again to get a new email. You are not subscribed.',
    endedHeading: 'This sign-up cannot be confirmed',
    ended: 'The address was unsubscribed, or these emails have ended. You are not subscribed, and nothing was changed.',
  },
  da: {
    askHeading: (audience) => `Vil du abonnere på “${audience}”?`,
    ask: (workspace, audience) =>
      `Nogen har skrevet denne adresse for at få e-mails om “${audience}” fra ${workspace}. Tryk på knappen for at bekræfte.`,
    notYou: 'Var det ikke dig, så luk denne side. Uden knappen får du ingen af disse e-mails.',
    button: 'Ja, tilmeld mig',
    doneHeading: 'Din tilmelding er bekræftet',
    done: (workspace, audience) =>
      `${workspace} sender dig nu e-mails om “${audience}”. Hver e-mail har et link til at afmelde.`,
    expiredHeading: 'Bekræftelsen er udløbet',
    expired: 'Den var mulig i 7 dage. Tilmeld dig igen for at få en ny e-mail. Du er ikke tilmeldt.',
    endedHeading: 'Denne tilmelding kan ikke bekræftes',
    ended: 'Adressen er afmeldt, eller disse e-mails er ophørt. Du er ikke tilmeldt, og intet er ændret.',
  },
  de: {
    askHeading: (audience) => `„${audience}“ abonnieren?`,
    ask: (workspace, audience) =>
      `Jemand hat diese Adresse eingegeben, um von ${workspace} E-Mails zu „${audience}“ zu bekommen. Drücken Sie zur Bestätigung auf die Schaltfläche.`,
    notYou: 'Waren Sie das nicht, schließen Sie diese Seite. Ohne die Schaltfläche bekommen Sie diese E-Mails nicht.',
    button: 'Ja, ich möchte sie bekommen',
    doneHeading: 'Ihre Anmeldung ist bestätigt',
    done: (workspace, audience) =>
      `${workspace} schickt Ihnen nun E-Mails zu „${audience}“. Jede E-Mail hat einen Link zum Abbestellen.`,
    expiredHeading: 'Diese Bestätigung ist abgelaufen',
    expired:
      'Sie war 7 Tage lang möglich. Melden Sie sich noch einmal an, um eine neue E-Mail zu bekommen. Sie sind nicht angemeldet.',
    endedHeading: 'Diese Anmeldung lässt sich nicht bestätigen',
    ended:
      'Die Adresse wurde abgemeldet, oder es gibt diese E-Mails nicht mehr. Sie sind nicht angemeldet, und es wurde nichts geändert.',
  },
  es: {
    askHeading: (audience) => `¿Suscribirse a «${audience}»?`,
    ask: (workspace, audience) =>
      `Alguien ha escrito esta dirección para recibir correos de ${workspace} sobre «${audience}». Pulse el botón para confirmarlo.`,
    notYou: 'Si no ha sido usted, cierre esta página. Sin el botón no recibirá esos correos.',
    button: 'Sí, quiero suscribirme',
    doneHeading: 'Su suscripción está confirmada',
    done: (workspace, audience) =>
      `${workspace} le enviará ahora correos sobre «${audience}». Cada correo tiene un enlace para darse de baja.`,
    expiredHeading: 'Esta confirmación ha caducado',
    expired: 'Era posible durante 7 días. Suscríbase de nuevo para recibir otro correo. No está suscrito.',
    endedHeading: 'Esta suscripción no se puede confirmar',
    ended: 'La dirección se dio de baja, o esos correos ya no existen. No está suscrito y no se ha cambiado nada.',
  },
  fr: {
    askHeading: (audience) => `S’abonner à « ${audience} » ?`,
    ask: (workspace, audience) =>
      `Quelqu’un a saisi cette adresse pour recevoir les e-mails de ${workspace} sur « ${audience} ». Appuyez sur le bouton pour confirmer.`,
    notYou: 'Si ce n’était pas vous, fermez cette page. Sans le bouton, vous ne recevrez pas ces e-mails.',
    button: 'Oui, m’abonner',
    doneHeading: 'Votre abonnement est confirmé',
    done: (workspace, audience) =>
      `${workspace} vous envoie désormais des e-mails sur « ${audience} ». Chaque e-mail contient un lien de désinscription.`,
    expiredHeading: 'Cette confirmation a expiré',
    expired:
      'Elle était possible pendant 7 jours. Inscrivez-vous à nouveau pour recevoir un autre e-mail. Vous n’êtes pas abonné.',
    endedHeading: 'Cette inscription ne peut pas être confirmée',
    ended:
      'L’adresse a été désinscrite, ou ces e-mails n’existent plus. Vous n’êtes pas abonné et rien n’a été modifié.',
  },
  it: {
    askHeading: (audience) => `Iscriversi a «${audience}»?`,
    ask: (workspace, audience) =>
      `Qualcuno ha inserito questo indirizzo per ricevere le email di ${workspace} su «${audience}». Prema il pulsante per confermare.`,
    notYou: 'Se non è stato Lei, chiuda questa pagina. Senza il pulsante non riceverà queste email.',
    button: 'Sì, mi iscrivo',
    doneHeading: 'La Sua iscrizione è confermata',
    done: (workspace, audience) =>
      `${workspace} Le invia ora le email su «${audience}». Ogni email contiene un link per annullare l’iscrizione.`,
    expiredHeading: 'Questa conferma è scaduta',
    expired: 'Era possibile per 7 giorni. Si iscriva di nuovo per ricevere un’altra email. Non è iscritto.',
    endedHeading: 'Questa iscrizione non si può confermare',
    ended:
      'L’indirizzo è stato disiscritto, oppure queste email non esistono più. Non è iscritto e nulla è stato modificato.',
  },
  nl: {
    askHeading: (audience) => `Abonneren op “${audience}”?`,
    ask: (workspace, audience) =>
      `Iemand heeft dit adres ingevuld om e-mails over “${audience}” van ${workspace} te krijgen. Druk op de knop om te bevestigen.`,
    notYou: 'Was u dat niet, sluit dan deze pagina. Zonder de knop krijgt u deze e-mails niet.',
    button: 'Ja, meld mij aan',
    doneHeading: 'Uw aanmelding is bevestigd',
    done: (workspace, audience) =>
      `${workspace} stuurt u nu e-mails over “${audience}”. In elke e-mail staat een link om af te melden.`,
    expiredHeading: 'Deze bevestiging is verlopen',
    expired: 'Dat kon gedurende 7 dagen. Meld u opnieuw aan voor een nieuwe e-mail. U bent niet aangemeld.',
    endedHeading: 'Deze aanmelding kan niet worden bevestigd',
    ended: 'Het adres is afgemeld, of deze e-mails bestaan niet meer. U bent niet aangemeld en er is niets veranderd.',
  },
  pl: {
    askHeading: (audience) => `Subskrybować „${audience}”?`,
    ask: (workspace, audience) =>
      `Ktoś podał ten adres, aby otrzymywać wiadomości „${audience}” od ${workspace}. Naciśnij przycisk, aby potwierdzić.`,
    notYou: 'Jeśli to nie Ty, zamknij tę stronę. Bez przycisku nie otrzymasz tych wiadomości.',
    button: 'Tak, zapisz mnie',
    doneHeading: 'Subskrypcja jest potwierdzona',
    done: (workspace, audience) =>
      `${workspace} będzie teraz wysyłać wiadomości „${audience}”. Każda wiadomość ma link do rezygnacji.`,
    expiredHeading: 'To potwierdzenie wygasło',
    expired: 'Było możliwe przez 7 dni. Zapisz się ponownie, aby otrzymać nową wiadomość. Subskrypcji nie ma.',
    endedHeading: 'Tego zapisu nie można potwierdzić',
    ended: 'Adres został wypisany albo te wiadomości już nie istnieją. Subskrypcji nie ma i nic się nie zmieniło.',
  },
  pt: {
    askHeading: (audience) => `Subscrever “${audience}”?`,
    ask: (workspace, audience) =>
      `Alguém escreveu este endereço para receber emails de ${workspace} sobre “${audience}”. Prima o botão para confirmar.`,
    notYou: 'Se não foi você, feche esta página. Sem o botão não receberá esses emails.',
    button: 'Sim, quero subscrever',
    doneHeading: 'A sua subscrição está confirmada',
    done: (workspace, audience) =>
      `${workspace} envia-lhe agora emails sobre “${audience}”. Cada email tem um link para cancelar.`,
    expiredHeading: 'Esta confirmação expirou',
    expired: 'Era possível durante 7 dias. Inscreva-se de novo para receber outro email. Não está subscrito.',
    endedHeading: 'Esta inscrição não pode ser confirmada',
    ended: 'O endereço foi cancelado, ou esses emails já não existem. Não está subscrito e nada foi alterado.',
  },
  sv: {
    askHeading: (audience) => `Prenumerera på ”${audience}”?`,
    ask: (workspace, audience) =>
      `Någon har angett den här adressen för att få e-post om ”${audience}” från ${workspace}. Tryck på knappen för att bekräfta.`,
    notYou: 'Var det inte du, stäng den här sidan. Utan knappen får du ingen sådan e-post.',
    button: 'Ja, jag vill prenumerera',
    doneHeading: 'Din prenumeration är bekräftad',
    done: (workspace, audience) =>
      `${workspace} skickar dig nu e-post om ”${audience}”. Varje e-postmeddelande har en länk för att avsluta.`,
    expiredHeading: 'Bekräftelsen har gått ut',
    expired:
      'Den gick att använda i 7 dagar. Anmäl dig igen för att få ett nytt e-postmeddelande. Du prenumererar inte.',
    endedHeading: 'Den här anmälan kan inte bekräftas',
    ended:
      'Adressen har avslutats, eller så finns denna e-post inte längre. Du prenumererar inte och inget har ändrats.',
  },
  ar: {
    askHeading: (audience) => `هل تريد الاشتراك في «${audience}»؟`,
    ask: (workspace, audience) =>
      `أدخل شخص ما هذا العنوان لتلقي رسائل «${audience}» من ${workspace}. اضغط على الزر للتأكيد.`,
    notYou: 'إذا لم تكن أنت، فأغلق هذه الصفحة. من دون الضغط على الزر لن تتلقى هذه الرسائل.',
    button: 'نعم، أريد الاشتراك',
    doneHeading: 'تم تأكيد اشتراكك',
    done: (workspace, audience) =>
      `سيرسل إليك ${workspace} الآن رسائل «${audience}». في كل رسالة رابط لإلغاء الاشتراك.`,
    expiredHeading: 'انتهت صلاحية هذا التأكيد',
    expired: 'كان التأكيد ممكنًا لمدة 7 أيام. سجّل مرة أخرى لتتلقى رسالة جديدة. أنت غير مشترك.',
    endedHeading: 'لا يمكن تأكيد هذا التسجيل',
    ended: 'تم إلغاء اشتراك العنوان أو توقفت هذه الرسائل. أنت غير مشترك ولم يتغير شيء.',
  },
}

export const confirmationWordsIn = (language: Language): ConfirmationWords => catalogue[language]
