// Foundation's own key-value observing, as GNUstep has it, with the new and the old value asked for.
//
// An autorelease pool is drained every thousand operations, as a run loop would.

#import <Foundation/Foundation.h>

#include "gnustep.h"

@interface Source : NSObject {
  long value;
  Source *child;
  NSArray *items;
}
- (NSArray *)items;
- (void)setItems:(NSArray *)newItems;
- (long)value;
- (void)setValue:(long)newValue;
- (Source *)child;
- (void)setChild:(Source *)newChild;
@end

@implementation Source
- (long)value {
  return value;
}
- (void)setValue:(long)newValue {
  value = newValue;
}
- (Source *)child {
  return child;
}
- (void)setChild:(Source *)newChild {
  [newChild retain];
  [child release];
  child = newChild;
}
- (NSArray *)items {
  return items;
}
- (void)setItems:(NSArray *)newItems {
  [newItems retain];
  [items release];
  items = newItems;
}
#define KEY(name) \
  -(long)name {   \
    return value; \
  }
KEY(key1) KEY(key2) KEY(key3) KEY(key4) KEY(key5) KEY(key6) KEY(key7) KEY(key8) KEY(key9) KEY(key10)
KEY(key11) KEY(key12) KEY(key13) KEY(key14) KEY(key15) KEY(key16) KEY(key17) KEY(key18) KEY(key19)
- (void)dealloc {
  [items release];
  [child release];
  [super dealloc];
}
@end

@interface Receiver : NSObject {
 @public
  long calls;
  long count;
  Source **observed;
  Source *table;
  long sum;
}
@end

@implementation Receiver
- (void)observeValueForKeyPath:(NSString *)path
                      ofObject:(id)object
                        change:(NSDictionary *)change
                       context:(void *)context {
  calls++;
  if (table != nil) sum = [[table valueForKeyPath:@"items.@sum.value"] longValue];
}
- (void)dealloc {
  // Nothing ends by itself here: an observer has to know where it put itself in, and take itself out.
  for (long i = 0; i < count; i++) [observed[i] removeObserver:self forKeyPath:@"value"];
  free(observed);
  [super dealloc];
}
@end

static __thread NSAutoreleasePool *pool;
static __thread int operations;

static void operate(void) {
  if (pool == nil || ++operations == 1000) {
    operations = 0;
    [pool release];
    pool = [NSAutoreleasePool new];
  }
}

static const NSKeyValueObservingOptions both = NSKeyValueObservingOptionNew | NSKeyValueObservingOptionOld;

void gnustep_start(void) {
  pool = [NSAutoreleasePool new];
  [NSThread currentThread];
}
void *gnustep_make_target(void) {
  GSRegisterCurrentThread();
  return [Source new];
}
void *gnustep_make_observer(void) {
  return [Receiver new];
}
void gnustep_release(void *object) {
  operate();
  [(id)object release];
}
long gnustep_calls(void *observer) {
  return ((Receiver *)observer)->calls;
}
void gnustep_set(void *target, long value) {
  operate();
  [(Source *)target setValue:value];
}
void gnustep_set_child(void *target, void *child) {
  operate();
  [(Source *)target setChild:(Source *)child];
}
void gnustep_add(void *observer, void *target, int through_child) {
  operate();
  [(Source *)target addObserver:(Receiver *)observer
                     forKeyPath:through_child ? @"child.value" : @"value"
                        options:both
                        context:NULL];
}
void gnustep_remove(void *observer, void *target, int through_child) {
  operate();
  [(Source *)target removeObserver:(Receiver *)observer forKeyPath:through_child ? @"child.value" : @"value"];
}
void *gnustep_make_life(long count) {
  Receiver *life = [Receiver new];
  life->observed = malloc(sizeof(Source *) * count);
  return life;
}
void gnustep_add_to_life(void *observer, long place, void *target) {
  Receiver *life = observer;
  life->observed[place] = target;
  life->count = place + 1;
  gnustep_add(observer, target, 0);
}

long gnustep_value_for_key(void *target) {
  operate();
  return [[(Source *)target valueForKey:@"value"] longValue];
}
void gnustep_set_value_for_key(void *target, long value) {
  operate();
  [(Source *)target setValue:[NSNumber numberWithLong:value] forKey:@"value"];
}
void *gnustep_make_path(long length) {
  NSMutableString *path = [NSMutableString new];
  for (long i = 1; i < length; i++) [path appendString:@"child."];
  [path appendString:@"value"];
  return path;
}
long gnustep_value_for_path(void *target, void *path) {
  operate();
  return [[(Source *)target valueForKeyPath:(NSString *)path] longValue];
}
void gnustep_add_path(void *observer, void *target, void *path) {
  operate();
  [(Source *)target addObserver:(Receiver *)observer forKeyPath:(NSString *)path options:both context:NULL];
}
void gnustep_remove_path(void *observer, void *target, void *path) {
  operate();
  [(Source *)target removeObserver:(Receiver *)observer forKeyPath:(NSString *)path];
}
void *gnustep_make_table(void *observer, long count) {
  Source *table = [Source new];
  NSMutableArray *items = [NSMutableArray new];
  for (long i = 0; i < count; i++) [items addObject:[Source new]];
  [table setItems:items];
  for (Source *item in items)
    [item addObserver:(Receiver *)observer forKeyPath:@"value" options:NSKeyValueObservingOptionNew context:NULL];
  ((Receiver *)observer)->table = table;
  return table;
}
void *gnustep_item(void *table, long index) {
  return [[(Source *)table items] objectAtIndex:index];
}
long gnustep_sum(void *observer) {
  return ((Receiver *)observer)->sum;
}
