import { listOf } from './list-of.ts';
import type { Topic } from './topic.ts';

type OwnTopic = Pick<Topic, 'name' | 'values' | 'says' | 'changes' | 'asks' | 'rephrases' | 'chatter'>;

/** Facts about the speaker. */
export const OWN_TOPICS: readonly OwnTopic[] = [
  {
    name: 'spare key',
    values: listOf(
      'under the third flower pot | in the meter cupboard | with the baker downstairs | taped behind the letter box | inside the hollow gnome',
    ),
    says: ['the spare key is {v}', 'I have put the spare key {v}', 'in case I lock myself out, the spare key is {v}'],
    changes: ['I moved the spare key, it is {v} from today', 'the old hiding place was silly, the spare key is {v}'],
    asks: ['Where is the spare key?', 'Where have I put the spare key?'],
    rephrases: ['How do I get in when I have locked myself out?', 'What is my way into the flat without my bag?'],
    chatter: [
      'I lost my keys for an hour, they were in the fridge',
      'how do you pick a good lock?',
      'the letter box is jammed again',
    ],
  },
  {
    name: 'medicine',
    values: listOf('ramipril | levothyroxine | metformin | pantoprazole | sertraline | insulin'),
    says: ['I take {v} every morning', 'the doctor put me on {v}', 'I forgot my {v} twice this week, I must not'],
    changes: ['the doctor took me off the old stuff, it is {v} instead', 'new pills since today, {v}'],
    asks: ['Which pills do I take every morning?', 'What did the doctor put me on?'],
    rephrases: ['What should a pharmacist know about me?', 'Which prescription is mine at present?'],
    chatter: ['I have a headache, probably the weather', 'does tea count as water?', 'the pharmacy was closed at noon'],
  },
  {
    name: 'project',
    values: listOf(`
      a model railway of the old station | a podcast about bridges | a family tree back to 1780 | a robot that sorts buttons | a quilt from old shirts |
      a website for the food bank`),
    says: ['I am working on {v}', 'my new project is {v}', 'I spent the whole weekend on {v}'],
    changes: ['I gave up on the old project and started {v}', 'change of plan, I am busy with {v} instead'],
    asks: ['What project am I working on?', 'What do I spend my weekends on?'],
    rephrases: ['What keeps my hands busy these days?', 'What have I been tinkering with?'],
    chatter: ['weekends are too short', 'I have glue on my sleeve', 'projects never end, they only rest'],
  },
  {
    name: 'deadline',
    values: listOf('the 9th | the last Friday of the month | the 21st | Tuesday in a fortnight | the 30th'),
    says: [
      'the report for the harbour office is due on {v}',
      'I have to hand in the harbour report by {v}',
      'they want the harbour report on {v}, no later',
    ],
    changes: ['they moved the harbour report, it is {v} instead', 'good news, more time for the harbour report: {v}'],
    asks: ['When is the harbour report due?', 'By when do I have to hand in the harbour report?'],
    rephrases: [
      'How long can I still put off the paperwork for the port?',
      'When will the port authority lose patience with me?',
    ],
    chatter: [
      'the harbour was foggy and beautiful',
      'reports are where joy goes to die',
      'can you shorten this report: three pages, no pictures?',
      'the printer ate my report',
    ],
  },
  {
    name: 'door code',
    values: listOf('4417# | 90-31-7 | K2280 | 7759* | 1863A | 5520-9'),
    says: [
      'the door code at the studio is {v}',
      'write down the studio code: {v}',
      'to get into the studio you type {v}',
    ],
    changes: ['they changed the code of the studio to {v}', 'the studio has a new door code, {v}'],
    asks: ['What is the door code of the studio?', 'Which code opens the studio?'],
    rephrases: ['What do I punch in when I get to the workshop?', 'Which digits let me into the place where I paint?'],
    chatter: [
      'the studio smells of turpentine',
      'I left my phone at the studio',
      'codes, passwords, pins, my head is full',
    ],
  },
  {
    name: 'commute',
    values: listOf(
      'the 7:12 ferry | the number 31 tram | my folding bike | the S6 | a car pool from the petrol station | the cable car',
    ),
    says: ['I go to work with {v}', 'I take {v} to work', 'every day the same, {v} to the office and back'],
    changes: ['the old way to work takes too long, I use {v} instead', 'I switched to {v} for the way to the office'],
    asks: ['How do I go to work?', 'What do I take to the office?'],
    rephrases: ['By what means do I get to my desk in the morning?', 'Why would a strike of transport hit me?'],
    chatter: [
      'the tram smelled of fish',
      'traffic was awful',
      'I read two pages on the way and forgot them',
      'somebody sang on the ferry',
    ],
  },
];

/** Wishes that hold from now on, each with the questions for it; the speaker asks to keep them. */
export const STANDING_WISHES: readonly { readonly says: string; readonly asks: readonly string[] }[] = [
  {
    says: 'never ring me before nine in the morning',
    asks: ['From what time may you ring me?', 'How early is too early for a call?'],
  },
  {
    says: 'give me all lengths in metres and never in feet',
    asks: ['In which unit do I want lengths?', 'Should it be feet or something else?'],
  },
  {
    says: 'sign my letters with Dr, the title matters to the office',
    asks: ['How do I want my letters signed?', 'What stands before my name at the bottom of a mail?'],
  },
  {
    says: 'I do not eat meat, so suggest nothing with it',
    asks: ['What do I never eat?', 'Would a steak house be a good suggestion for me?'],
  },
  {
    says: 'keep my evenings of Thursday free, that is choir',
    asks: ['Which evening has to stay free?', 'Why can I not meet on Thursday after six?'],
  },
  {
    says: 'my budget for the flat is 1,150 a month at the most',
    asks: ['What is my budget for the flat?', 'How much can I spend on rent?'],
  },
  {
    says: 'when I write in French, answer in French',
    asks: ['In which language do you answer my French?', 'What happens when I switch languages?'],
  },
  {
    says: 'ask me before anything goes to my brother-in-law',
    asks: ['What needs my word before you send it?', 'Whom in the family must you not write to on your own?'],
  },
];
