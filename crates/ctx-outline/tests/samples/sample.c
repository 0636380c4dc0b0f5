/*
 * Copyright (C) 2020 Nobody in particular
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#define MAX(a, b) \
    ((a) > (b) ? (a) : (b) + some_more_text)

typedef struct node {
    struct node *next;
    int (*compare)(const void *, const void *);
} node_t;

enum color { RED, GREEN };

static const char *names[] = {
    "red {",
    "green",
};

int length(const node_t *list);

#ifdef WIDE
int wide(long value) {
#else
int wide(int value) {
#endif
    if (value == '{') {
        return "}"[0];
    }
    return 0;
}

/* Both branches open the same block. */
struct node *find(struct node *list, int key)
{
#if DEBUG
    if (list) {
        puts("debug");
#else
    if (list != NULL) {
#endif
        return list->next;
    }
    return NULL;
}

int last(void) { return 1; }
